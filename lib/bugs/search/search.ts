import type { Table } from '../../dynamodb/client.ts';
import { aliasKey, canBeKey } from '../../dynamodb/keys.ts';
import { readItems } from '../../dynamodb/read.ts';
import { errors } from '../../errors.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import type { KnownProducts } from '../../products/known-products.ts';
import { timestamp } from '../../time.ts';
import { entryOfBug, type IndexEntry, type IndexedBug, mayTakePart } from '../index-entry.ts';
import { isVisible } from '../permissions.ts';
import { type BugItem, bugPointerItem } from '../schema.ts';
import { openBugIndex } from './bug-index.ts';
import { readChanges } from './changes.ts';
import { type Condition, meets, meetsByEntry } from './conditions.ts';
import { type OrderColumn, sortBugs } from './order.ts';
import { bugSets, changedSince, isOnlyAboutChanges, namedBugs } from './plan.ts';
import { type SearchField, searchField } from './search-fields.ts';
import { type Repositories, SearchReads } from './search-reads.ts';
import type { CoveredBug, SearchedBug } from './searched-bug.ts';
import type { Searcher } from './searcher.ts';
import { type Claims, readClaims } from './word-claims.ts';

/** A parsed search. */
export interface BugQuery {
  condition: Condition;
  /** by id where there are none */
  order: readonly OrderColumn[];
  /** maximum number of results; absent: the maximum of a search */
  limit: number | undefined;
  /** number of results to skip */
  offset: number;
  /** what is needed of the results: the stored bugs, what the search index has of them, or their number only */
  needs: 'bugs' | 'entries' | 'number';
}

type Page = Omit<BugQuery, 'order' | 'limit'> & { limit: number };

/** What a search has found. */
export interface BugResults {
  bugs: (BugItem | IndexedBug)[];
  /** those of the bugs */
  products: KnownProducts;
}

/** Maximum number of bugs that a search returns, and that it reads to decide whether they meet the condition. */
const MAX_BUGS = 10_000;
/** Bugs that are read to avoid the search index, or to order them by change. */
const MAX_SHORT_LIST = 1_000;
/** Changes that are read to find the bugs that changed last, or since a time. */
const MAX_CHANGES = 150_000;
/** Maximum number of products, each of which takes two queries at first. */
const MAX_PRODUCTS = 1_000;
const FIRST_BATCH = 25;
const MAX_BATCH = 1_600;

type Covered = CoveredBug & { revision: number; isVisible: boolean };

/** A bug that may meet a condition. */
interface Candidate {
  bug: { id: number };
  /** absent: the bug has to be read */
  covered?: Covered;
  /** what the search index tells; absent: nothing */
  isMet?: boolean | undefined;
}

/** A bug that meets the condition, as far as it was read. */
type Result = SearchedBug | CoveredBug;

/** Searches bugs: by the search index, which is remembered between requests. */
export function bugSearch(table: Table, repositories: Repositories, now: () => Date) {
  const index = openBugIndex(table, repositories.bugs, now);

  /** The bugs that may meet a condition by what the index has of them. */
  async function candidatesOf(condition: Condition, searcher: Searcher, reads: SearchReads) {
    const sets = bugSets(condition, await reads.productIndex());
    if (sets.length > 2 * MAX_PRODUCTS) throw errors.searchTooBroad(`${MAX_PRODUCTS} products`);
    const [claims, entries] = await Promise.all([
      readClaims(condition, repositories.words, searcher.isInsider),
      index.entriesOf(sets),
      reads.products(sets.map(({ product }) => product)),
    ]);
    const covered = entries
      .filter((entry) => mayBeVisible(entry, searcher))
      .map((entry): Covered => cover(entry, claims, searcher, reads));
    searcher.work.countBugs(covered.filter((one) => one.isVisible).length);
    return covered.flatMap((one): Candidate[] => {
      // What is hidden from the caller must affect neither the result nor what the search may do.
      const decide = () => meetsByEntry(condition, one);
      const isMet = one.isVisible ? decide() : searcher.work.apart(decide);
      return isMet === false
        ? []
        : [{ bug: one.bug, covered: one, isMet: one.isVisible ? isMet : undefined }];
    });
  }

  /** The same candidates, of which those are read whose entries omit what they are ordered by. */
  async function withOrder(
    candidates: readonly Candidate[],
    order: readonly OrderColumn[],
    condition: Condition,
    searcher: Searcher,
    reads: SearchReads,
  ): Promise<Candidate[]> {
    const lacks = ({ covered }: Candidate) => covered !== undefined && !hasAll(covered, order);
    const lacking = candidates.filter(lacks);
    if (lacking.filter(({ covered }) => covered?.isVisible).length > MAX_BUGS) {
      throw errors.searchTooBroad(`${MAX_BUGS} bugs`);
    }
    const all = candidates.filter((one) => !lacks(one));
    const claims = candidates[0]?.covered?.claims ?? new Map();
    for await (const batch of batches(lacking, MAX_BATCH)) {
      reads.countItems(batch.filter(({ covered }) => covered?.isVisible).length);
      const bugs = [...(await reads.bugs(batch.map(({ bug }) => bug.id))).values()];
      await reads.products(bugs.map(({ product_id }) => product_id));
      for (const bug of bugs) {
        if (!isVisible(bug, searcher.caller)) continue;
        const covered = cover(entryOfBug(bug), claims, searcher, reads);
        const isMet = meetsByEntry(condition, covered);
        if (isMet !== false) all.push({ bug: covered.bug, covered, isMet });
      }
    }
    return all;
  }

  async function readNamed({ ids, aliases }: { ids: number[]; aliases: string[] }): Promise<Candidate[]> {
    const pointers = await readItems(table, aliases.filter(canBeKey).map(aliasKey), bugPointerItem);
    const all = new Set([...ids, ...pointers.map(({ bug_id }) => bug_id)]);
    return [...all].sort((a, b) => a - b).map((id) => ({ bug: { id } }));
  }

  /** The ids of the bugs that changed since a time; undefined when there are too many. */
  async function readChanged(since: string): Promise<Set<number> | undefined> {
    const changed = new Set<number>();
    let count = 0;
    for await (const { id } of readChanges(table, { since, expected: MAX_SHORT_LIST })) {
      count += 1;
      changed.add(id);
      if (count > MAX_CHANGES || changed.size > MAX_BUGS) return undefined;
    }
    return changed;
  }

  /** The candidates of a condition, by the way that costs least. */
  async function findCandidates(
    condition: Condition,
    searcher: Searcher,
    reads: SearchReads,
  ): Promise<Candidate[]> {
    const named = namedBugs(condition);
    if (named !== undefined) return readNamed(named);
    const since = changedSince(condition);
    const changed = since === undefined ? undefined : await readChanged(since);
    if (changed === undefined) return candidatesOf(condition, searcher, reads);
    if (changed.size <= MAX_SHORT_LIST || isOnlyAboutChanges(condition)) {
      return [...changed].sort((a, b) => a - b).map((id) => ({ bug: { id } }));
    }
    return (await candidatesOf(condition, searcher, reads)).filter(({ bug }) => changed.has(bug.id));
  }

  /**
   * The first bugs in the order of their last changes, and perhaps others. A bug that changes meanwhile may not be seen
   * in its new place, so it is taken in the one it had.
   *
   * @param among ids of the bugs that may meet the condition; absent: all
   * @returns undefined when it would have to read too many
   */
  async function findByChange(
    { condition, offset, limit }: Page,
    isReverse: boolean,
    searcher: Searcher,
    reads: SearchReads,
    among?: ReadonlySet<number>,
  ): Promise<SearchedBug[] | undefined> {
    const needed = offset + limit;
    const recent = timestamp(new Date(now().getTime() - table.retryTimeoutMs));
    const found: SearchedBug[] = [];
    const read = new Map<number, BugItem | undefined>();
    const passed = new Set<number>();
    const changes = readChanges(table, { since: changedSince(condition), isReverse, expected: 2 * needed });
    let count = 0;
    for await (const batch of batches(changes, needed)) {
      count += batch.length;
      if (count > MAX_CHANGES) return undefined;
      const unread = new Set(
        batch.map(({ id }) => id).filter((id) => !read.has(id) && among?.has(id) !== false),
      );
      if (read.size + unread.size > MAX_BUGS) return undefined;
      const bugs = await reads.bugs([...unread]);
      for (const id of unread) read.set(id, bugs.get(id));
      const next = batch.flatMap(({ id, at }): BugItem[] => {
        const bug = read.get(id);
        if (bug === undefined || passed.has(id)) return [];
        if (!at.startsWith(bug.last_change_time) && bug.last_change_time < recent) return [];
        passed.add(id);
        return isVisible(bug, searcher.caller) ? [bug] : [];
      });
      reads.countItems(next.length);
      const searched = await reads.searched(next);
      const isMet = await mapConcurrent(searched, (one) => meets(condition, one));
      found.push(...searched.filter((_, place) => isMet[place]));
      if (hasEnough(found, needed, isReverse, batch.at(-1)?.at ?? '')) break;
    }
    return found;
  }

  /** The first of the candidates that meet the condition, in their order. */
  async function examine(
    candidates: readonly Candidate[],
    { condition, offset, limit, needs }: Page,
    { caller }: Searcher,
    reads: SearchReads,
  ): Promise<Result[]> {
    const needed = offset + limit;
    const found: Result[] = [];
    let undecided = 0;
    for await (const unread of batches(candidates, needed)) {
      const batch = await decideByClaims(unread, condition, reads);
      const skipped = found.length + batch.length <= offset;
      const isRead = ({ isMet, covered }: Candidate) =>
        isMet === undefined || (!skipped && lacks(covered, needs));
      const toRead = batch.filter(isRead);
      const known = toRead.filter(({ covered }) => covered?.isVisible).length;
      reads.countItems(known);
      const bugs = await reads.bugs(toRead.map(({ bug }) => bug.id));
      const visible = [...bugs.values()].filter((bug) => isVisible(bug, caller));
      reads.countItems(visible.length - known);
      const searched = new Map((await reads.searched(visible)).map((one) => [one.bug.id, one]));
      undecided += batch.filter(({ bug, isMet }) => isMet === undefined && searched.has(bug.id)).length;
      if (undecided > MAX_BUGS) throw errors.searchTooBroad(`${MAX_BUGS} bugs`);
      const results = await mapConcurrent(batch, async (candidate): Promise<Result | undefined> => {
        if (!isRead(candidate)) return candidate.covered;
        const one = searched.get(candidate.bug.id);
        if (one === undefined) return undefined;
        const isSame = candidate.covered?.revision === one.bug.revision;
        const isMet = (candidate.isMet === true && isSame) || (await meets(condition, one));
        one.forget();
        return isMet ? one : undefined;
      });
      found.push(...results.filter((one) => one !== undefined));
      if (found.length >= needed) break;
    }
    return found;
  }

  /** Candidates for which the comments that the word index names may have decided. */
  async function decideByClaims(
    batch: readonly Candidate[],
    condition: Condition,
    reads: SearchReads,
  ): Promise<Candidate[]> {
    const claims = batch[0]?.covered?.claims ?? new Map();
    const open = batch.filter(({ isMet, covered }) => isMet === undefined && covered?.isVisible === true);
    const comments = await reads.claimed(
      open.map(({ bug }) => bug.id),
      claims,
    );
    return batch
      .map((candidate) => {
        const { bug, covered, isMet } = candidate;
        const claimed = comments.get(bug.id);
        if (isMet !== undefined || claimed === undefined || covered === undefined) return candidate;
        return { ...candidate, isMet: meetsByEntry(condition, { ...covered, claimed }) };
      })
      .filter(({ isMet }) => isMet !== false);
  }

  /** The results of a search in order, with those before the offset. */
  async function findInOrder(
    query: Page,
    order: readonly OrderColumn[],
    searcher: Searcher,
    reads: SearchReads,
  ): Promise<Result[]> {
    const sorted = async <T extends Result>(
      all: readonly T[],
      read: (one: T, field: SearchField) => readonly string[],
    ) => sortBugs(all, order, searcher, read, await reads.products(all.map(({ bug }) => bug.product_id)));
    const [first] = order;
    const isByChange = first?.field.name === 'delta_ts' && query.limit < MAX_BUGS;
    const isReverse = first?.isDescending ?? false;
    if (isByChange && isOnlyAboutChanges(query.condition)) {
      const found = await findByChange(query, isReverse, searcher, reads);
      if (found !== undefined) return sorted(found, readBug);
    }
    const candidates = await findCandidates(query.condition, searcher, reads);
    if (isByChange && candidates.length > MAX_SHORT_LIST) {
      const among = new Set(candidates.map(({ bug }) => bug.id));
      const found = await findByChange(query, isReverse, searcher, reads, among);
      if (found !== undefined) return sorted(found, readBug);
    }
    // Without an order, what was not compared by the index comes by id already.
    if (order.length === 0 && candidates.every(({ covered }) => covered === undefined)) {
      return examine(candidates, query, searcher, reads);
    }
    const isCovered = order.every(({ field }) => searchField(field)?.ofEntry !== undefined);
    if (isCovered && candidates.every(({ covered }) => covered !== undefined)) {
      const complete = await withOrder(candidates, order, query.condition, searcher, reads);
      const byId = new Map(complete.map((one) => [one.bug.id, one]));
      const inOrder = await sorted(
        complete.flatMap(({ covered }) => covered ?? []),
        readEntry,
      );
      return examine(
        inOrder.flatMap(({ bug }) => byId.get(bug.id) ?? []),
        query,
        searcher,
        reads,
      );
    }
    const all = await examine(
      candidates,
      { ...query, offset: 0, limit: MAX_BUGS + 1, needs: 'bugs' },
      searcher,
      reads,
    );
    if (all.length > MAX_BUGS) throw errors.searchTooBroad(`${MAX_BUGS} bugs`);
    return sorted(
      all.filter((one) => 'comments' in one),
      readBug,
    );
  }

  return {
    /**
     * The bugs that meet a condition and that the caller may see, in order.
     *
     * @throws errors.searchTooBroad (400, 32000) when more would have to be read than a search may, and as the condition
     * throws
     */
    async find({ order, ...query }: BugQuery, searcher: Searcher): Promise<BugResults> {
      const reads = new SearchReads(repositories, searcher);
      const page = { ...query, limit: Math.min(query.limit ?? MAX_BUGS, MAX_BUGS) };
      const found = await findInOrder(page, order, searcher, reads);
      const bugs = found.slice(page.offset, page.offset + page.limit).map(({ bug }) => bug);
      return { bugs, products: await reads.products(bugs.map(({ product_id }) => product_id)) };
    },

    /** How many bugs meet a condition and may be seen by the caller; throws as `find`. */
    async count(condition: Condition, searcher: Searcher): Promise<number> {
      const reads = new SearchReads(repositories, searcher);
      const candidates = await findCandidates(condition, searcher, reads);
      const all: Page = { condition, offset: 0, limit: Number.POSITIVE_INFINITY, needs: 'number' };
      return (await examine(candidates, all, searcher, reads)).length;
    },
  };
}

/** Of those that changed in the same second all are needed: the rest of the order decides between them. */
function hasEnough(
  found: readonly SearchedBug[],
  needed: number,
  isReverse: boolean,
  position: string,
): boolean {
  const times = found.map(({ bug }) => bug.last_change_time).sort();
  if (isReverse) times.reverse();
  const passed = times.filter((time) =>
    isReverse ? time >= position.slice(0, time.length) : time <= position,
  );
  return needed === 0 || (passed.length > needed && passed[needed - 1] !== passed.at(-1));
}

/** A bug as its entry has it; its product was read. */
const cover = (
  { bug, omitted, revision }: IndexEntry,
  claims: Claims,
  { caller, visits }: Searcher,
  reads: SearchReads,
): Covered => ({
  ...{ bug, omitted, revision, claims, claimed: [], lastVisit: visits.of(bug.id) },
  place: reads.placeOf(bug),
  isVisible: isVisible(bug, caller),
});

/** Whether the caller may see a bug; where the index lacks who takes part in it, the bug decides. */
const mayBeVisible = (entry: IndexEntry, { caller }: Searcher): boolean =>
  isVisible(entry.bug, caller) || (caller.user !== undefined && mayTakePart(entry, caller.user.login));

/** Whether a bug has to be read for what is needed of it. */
const lacks = (covered: CoveredBug | undefined, needs: BugQuery['needs']): boolean =>
  needs === 'bugs' || (needs === 'entries' && covered?.omitted.size !== 0);

const readEntry = (one: CoveredBug, field: SearchField): readonly string[] => field.ofEntry?.(one) ?? [];

/** Only fields that the bug itself has are ordered by. */
function readBug(one: SearchedBug, field: SearchField): readonly string[] {
  const values = field.read(one);
  return values instanceof Promise ? [] : values;
}

const hasAll = (one: CoveredBug, order: readonly OrderColumn[]): boolean =>
  one.omitted.size === 0 || order.every(({ field }) => searchField(field)?.ofEntry?.(one) !== undefined);

/** Batches of increasing size, so that a small limit reads few bugs. */
async function* batches<T>(candidates: AsyncIterable<T> | Iterable<T>, needed: number): AsyncGenerator<T[]> {
  let size = Math.min(Math.max(needed, FIRST_BATCH), MAX_BATCH);
  let batch: T[] = [];
  for await (const candidate of candidates) {
    batch.push(candidate);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
    size = Math.min(size * 2, MAX_BATCH);
  }
  if (batch.length > 0) yield batch;
}
