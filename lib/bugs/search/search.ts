import type { Table } from '../../dynamodb/client.ts';
import { errors } from '../../errors.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import type { KnownProducts } from '../../products/known-products.ts';
import { timestamp } from '../../time.ts';
import { isVisible } from '../permissions.ts';
import type { BugItem } from '../schema.ts';
import type { IndexedBug } from '../store/index-entry.ts';
import { batches } from './batches.ts';
import { openBugIndex } from './bug-index.ts';
import {
  type Candidate,
  candidateSearch,
  MAX_BUGS,
  MAX_CHANGES,
  MAX_SHORT_LIST,
  withOrder,
} from './candidates.ts';
import { readChanges } from './changes.ts';
import { type Condition, meets, meetsByEntry } from './conditions.ts';
import { type OrderColumn, sortBugs } from './order.ts';
import { changedSince, isOnlyAboutChanges } from './plan.ts';
import type { SearchContext } from './search-context.ts';
import { type SearchField, searchField } from './search-fields.ts';
import { type Repositories, SearchReads } from './search-reads.ts';
import type { CoveredBug, SearchedBug } from './searched-bug.ts';

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

/** A bug that meets the condition, as far as it was read. */
type Result = SearchedBug | CoveredBug;

/** Searches bugs: by the search index, which is remembered between requests. */
export function bugSearch(table: Table, repositories: Repositories, now: () => Date) {
  const candidatesOf = candidateSearch(table, repositories, openBugIndex(table, repositories.bugs, now));

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
    context: SearchContext,
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
        return isVisible(bug, context.caller) ? [bug] : [];
      });
      reads.countUnits(next.length);
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
    { caller }: SearchContext,
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
      reads.countUnits(known);
      const bugs = await reads.bugs(toRead.map(({ bug }) => bug.id));
      const visible = [...bugs.values()].filter((bug) => isVisible(bug, caller));
      reads.countUnits(visible.length - known);
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
    context: SearchContext,
    reads: SearchReads,
  ): Promise<Result[]> {
    const sorted = async <T extends Result>(
      all: readonly T[],
      read: (one: T, field: SearchField) => readonly string[],
    ) => {
      const products = await reads.products(all.map(({ bug }) => bug.product_id));
      const beside = await readBeside(all, order);
      const valuesOf = (one: T, field: SearchField, name: string) =>
        beside.get(one)?.get(name) ?? read(one, field);
      return sortBugs(all, order, context, valuesOf, products);
    };
    const [first] = order;
    const isByChange = first?.field.name === 'delta_ts' && query.limit < MAX_BUGS;
    const isReverse = first?.isDescending ?? false;
    if (isByChange && isOnlyAboutChanges(query.condition)) {
      const found = await findByChange(query, isReverse, context, reads);
      if (found !== undefined) return sorted(found, readBug);
    }
    const candidates = await candidatesOf(query.condition, context, reads);
    if (isByChange && candidates.length > MAX_SHORT_LIST) {
      const among = new Set(candidates.map(({ bug }) => bug.id));
      const found = await findByChange(query, isReverse, context, reads, among);
      if (found !== undefined) return sorted(found, readBug);
    }
    // Without an order, what was not compared by the index comes by id already.
    if (order.length === 0 && candidates.every(({ covered }) => covered === undefined)) {
      return examine(candidates, query, context, reads);
    }
    const isCovered = order.every(({ field }) => searchField(field)?.ofEntry !== undefined);
    if (isCovered && candidates.every(({ covered }) => covered !== undefined)) {
      const complete = await withOrder(candidates, order, query.condition, context, reads);
      const byId = new Map(complete.map((one) => [one.bug.id, one]));
      const inOrder = await sorted(
        complete.flatMap(({ covered }) => covered ?? []),
        readEntry,
      );
      return examine(
        inOrder.flatMap(({ bug }) => byId.get(bug.id) ?? []),
        query,
        context,
        reads,
      );
    }
    const all = await examine(
      candidates,
      { ...query, offset: 0, limit: MAX_BUGS + 1, needs: 'bugs' },
      context,
      reads,
    );
    if (all.length > MAX_BUGS) throw errors.searchTooBroad(`${MAX_BUGS} bugs`);
    return sorted(
      all.filter((one) => 'comments' in one),
      readBug,
    );
  }

  return {
    /** The bugs that meet a condition and that the caller may see, in order. */
    async find({ order, ...query }: BugQuery, context: SearchContext): Promise<BugResults> {
      const reads = new SearchReads(repositories, context);
      const page = { ...query, limit: Math.min(query.limit ?? MAX_BUGS, MAX_BUGS) };
      const found = await findInOrder(page, order, context, reads);
      const bugs = found.slice(page.offset, page.offset + page.limit).map(({ bug }) => bug);
      return { bugs, products: await reads.products(bugs.map(({ product_id }) => product_id)) };
    },

    /** How many bugs meet a condition and may be seen by the caller; throws as `find`. */
    async count(condition: Condition, context: SearchContext): Promise<number> {
      const reads = new SearchReads(repositories, context);
      const candidates = await candidatesOf(condition, context, reads);
      const all: Page = { condition, offset: 0, limit: Number.POSITIVE_INFINITY, needs: 'number' };
      return (await examine(candidates, all, context, reads)).length;
    },
  };
}

/** All bugs that changed in the same second are needed: the rest of the order decides between them. */
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

/** Whether a bug has to be read for what is needed of it. */
const lacks = (covered: CoveredBug | undefined, needs: BugQuery['needs']): boolean =>
  needs === 'bugs' || (needs === 'entries' && covered?.omitted.size !== 0);

const readEntry = (one: CoveredBug, field: SearchField): readonly string[] => field.ofEntry?.(one) ?? [];

/** The values of the columns that take further reads, by the name of the field. */
async function readBeside<T extends Result>(
  all: readonly T[],
  order: readonly OrderColumn[],
): Promise<ReadonlyMap<T, ReadonlyMap<string, readonly string[]>>> {
  const columns = order.flatMap(({ field }) => {
    const reader = searchField(field);
    return reader?.isCostly ? [{ name: field.name, reader }] : [];
  });
  if (columns.length === 0) return new Map();
  const read = async (one: T) => {
    if (!('comments' in one)) return [one, new Map()] as const;
    const values = await mapConcurrent(
      columns,
      async ({ name, reader }) => [name, await reader.read(one)] as const,
    );
    one.forget();
    return [one, new Map(values)] as const;
  };
  return new Map(await mapConcurrent(all, read));
}

/** Columns that take further reads are read before. */
function readBug(one: SearchedBug, field: SearchField): readonly string[] {
  const values = field.read(one);
  return values instanceof Promise ? [] : values;
}
