import { mapConcurrent } from '../base/collections.ts';
import {
  changeCount,
  type IndexedBug,
  indexedBugOf,
  storedIn,
  withoutLongTexts,
} from '../bugs/change-log/indexed-bug.ts';
import { isVisible } from '../bugs/permissions.ts';
import type { BugItem } from '../bugs/schema.ts';
import { errors } from '../errors.ts';
import type { KnownProducts } from '../products/place.ts';
import type { Table } from '../table/client.ts';
import { readUnits, sizeOf } from '../table/consumption.ts';
import type { RequestBudget } from '../table/request-budget.ts';
import { batches, type Candidate, candidateSearch, MAX_BATCH } from './candidates.ts';
import { type Condition, cheapFirst, meets } from './conditions/conditions.ts';
import type { SearchContext } from './conditions/search-context.ts';
import { searchField } from './conditions/search-fields.ts';
import type { SearchedBug, WordCandidates } from './conditions/searched-bug.ts';
import { openBugIndex } from './index/bug-index.ts';
import { type OrderColumn, sortBugs } from './order.ts';
import { conjuncts } from './plan.ts';
import { type Repositories, SearchReads } from './search-reads.ts';

/** Maximum number of bugs that a search returns, and that it reads to decide whether they meet the condition. */
const MAX_BUGS_A_SEARCH = 10_000;

const tooManyBugs = () => errors.searchTooBroad(`${MAX_BUGS_A_SEARCH} bugs`);

/** Read units of the bugs that a search returns, whole, or orders by what is read beside them: 20 MB. */
const MAX_KEPT_UNITS = 5_000;
const KEPT_BUGS = '20 MB of bugs';

/** What a search that is refused for its comments may do instead. */
const BY_WORDS = ', which a search for whole words (longdesc_type=anywords) does not need';

/** A parsed search. */
export interface BugQuery {
  condition: Condition;
  /** by id where there are none */
  order: readonly OrderColumn[];
  /** maximum number of results; absent: the maximum of a search */
  limit: number | undefined;
  /** number of results to skip */
  offset: number;
  /** what is needed of the results: the stored bugs, these attributes of what the search index has, or their number only */
  needs: 'bugs' | 'number' | ReadonlySet<string>;
}

type Page = Omit<BugQuery, 'order' | 'limit'> & { limit: number };

/** What a search has found. */
export interface BugResults {
  bugs: (BugItem | IndexedBug)[];
  /** how many there are without limit and offset; undefined: telling it would take more */
  total: number | undefined;
  /** those of the bugs */
  products: KnownProducts;
}

/**
 * Searches bugs: by the search index, which is remembered between requests.
 *
 * @param mayWrite whether searches may write to the search index
 */
export function bugSearch(table: Table, repositories: Repositories, now: () => Date, mayWrite: boolean) {
  const index = openBugIndex(table, repositories.bugs, now, mayWrite);
  const candidatesOf = candidateSearch(table, repositories, index);

  /** The first of the candidates that meet the condition, in their order. */
  async function examine(
    candidates: readonly Candidate[],
    { condition, offset, limit, needs }: Page,
    reads: SearchReads,
  ): Promise<SearchedBug[]> {
    const needed = offset + limit;
    const found: SearchedBug[] = [];
    let undecided = 0;
    let keptUnits = 0;
    for await (const unread of batches(candidates, needed, plannedUnits)) {
      const batch = await decideByNamedComments(unread, condition, reads);
      const skipped = found.length + batch.length <= offset;
      const isRead = ({ isMet, known }: Candidate) =>
        known === undefined || isMet === undefined || (!skipped && lacks(known, needs));
      const read = await readCandidates(batch.filter(isRead), reads);
      undecided += batch.filter(({ id, isMet }) => isMet === undefined && read.has(id)).length;
      if (undecided > MAX_BUGS_A_SEARCH) throw tooManyBugs();
      const results = await mapConcurrent(batch, async (candidate) => {
        if (!isRead(candidate)) return candidate.known;
        const one = read.get(candidate.id);
        if (one === undefined) return undefined;
        const isMet = (candidate.isMet === true && isSame(candidate, one)) || (await meets(condition, one));
        one.read?.forget();
        if (isMet !== true) return undefined;
        const kept = keptOf(one, needs);
        if (kept.read !== undefined) keptUnits += candidate.known?.units ?? 1;
        if (keptUnits > MAX_KEPT_UNITS) throw errors.requestTooLarge(KEPT_BUGS);
        return kept;
      });
      found.push(...results.filter((one) => one !== undefined));
      if (found.length >= needed) break;
    }
    return found;
  }

  /** Reads bugs, as far as the caller may see them. */
  async function readCandidates(
    candidates: readonly Candidate[],
    reads: SearchReads,
  ): Promise<Map<number, SearchedBug>> {
    const unread = candidates.filter(({ known }) => known?.read === undefined);
    // Those that are known are visible: the others must not affect whether a search is refused.
    const counted = new Map(
      unread.flatMap(({ id, known: one }) => (one === undefined ? [] : [[id, plannedUnits({ known: one })]])),
    );
    reads.countUnits(counted.values().reduce((sum, units) => sum + units, 0));
    const visible: BugItem[] = [];
    await repositories.bugs.read(
      unread.map(({ id, known: one }) => [id, one?.units]),
      (bugs) => {
        const shown = bugs.filter((bug) => isVisible(bug, reads.context.caller));
        const further = (bug: BugItem) => readUnits(sizeOf(bug)) - (counted.get(bug.id) ?? 0);
        reads.countUnits(shown.reduce((sum, bug) => sum + Math.max(0, further(bug)), 0));
        visible.push(...shown);
      },
    );
    const known = candidates.flatMap((one) => (one.known?.read === undefined ? [] : [one.known]));
    // What the word index says of a bug decides on its comments when it was read, too.
    const indexed = new Map(unread.map((candidate) => [candidate.id, candidate.known]));
    const read = (await reads.searched(visible)).map((one): SearchedBug => {
      const { wordCandidates, namedComments } = indexed.get(one.id) ?? one;
      return { ...one, wordCandidates, namedComments };
    });
    return new Map([...known, ...read].map((one) => [one.id, one]));
  }

  /** Candidates for which the comments that the word index names may have decided. */
  async function decideByNamedComments(
    batch: readonly Candidate[],
    condition: Condition,
    reads: SearchReads,
  ): Promise<Candidate[]> {
    const open = batch.flatMap(({ known, isMet }) => (isMet === undefined ? (known ?? []) : []));
    const wordCandidates: WordCandidates = open[0]?.wordCandidates ?? new Map();
    const comments = await reads.namedComments(
      open.map(({ id }) => id),
      wordCandidates,
    );
    return batch
      .map((candidate) => {
        const { id, known, isMet } = candidate;
        const namedComments = comments.get(id);
        if (isMet !== undefined || namedComments === undefined || known === undefined) return candidate;
        known.namedComments = namedComments;
        const answer = meets(condition, known);
        return { ...candidate, isMet: answer instanceof Promise ? undefined : answer };
      })
      .filter(({ isMet }) => isMet !== false);
  }

  /** Candidates of which all are known that lack what they are ordered by. */
  async function withOrder(
    candidates: readonly Candidate[],
    order: readonly OrderColumn[],
    reads: SearchReads,
  ): Promise<Candidate[]> {
    const isLacking = ({ known }: Candidate) =>
      known === undefined || order.some(({ field }) => searchField(field)?.read(known) === undefined);
    const lacking = candidates.filter(isLacking);
    if (lacking.length === 0) return [...candidates];
    if (lacking.filter(({ known }) => known !== undefined).length > MAX_BUGS_A_SEARCH) {
      throw tooManyBugs();
    }
    const read = new Map<number, SearchedBug>();
    let keptUnits = 0;
    for await (const batch of batches(lacking, MAX_BATCH, plannedUnits)) {
      keptUnits += batch.reduce((sum, one) => sum + (one.known === undefined ? 0 : plannedUnits(one)), 0);
      if (keptUnits > MAX_KEPT_UNITS) throw errors.requestTooLarge(KEPT_BUGS);
      for (const [id, one] of await readCandidates(batch, reads)) read.set(id, one);
    }
    const isUnread = new Set(lacking);
    return candidates.flatMap((candidate): Candidate[] => {
      if (!isUnread.has(candidate)) return [candidate];
      const known = read.get(candidate.id);
      return known === undefined ? [] : [{ id: candidate.id, known }];
    });
  }

  /**
   * Refuses a search that would read the comments of more bugs than it may, before it reads the first: where it looks at all
   * candidates, and a condition on comments has no words to look up.
   */
  function requireFewComments(
    candidates: readonly Candidate[],
    { condition, limit }: Pick<Page, 'condition' | 'limit'>,
    { costlyReads }: RequestBudget,
  ): void {
    const readsComments = conjuncts(condition).some(
      (one) => 'field' in one && OF_COMMENTS.has(one.field) && one.indexTerms === undefined,
    );
    if (!readsComments || limit < MAX_BUGS_A_SEARCH) return;
    let count = 0;
    for (const { isMet, known } of candidates) {
      // What is left out of the index may decide without them.
      if (isMet !== undefined || known?.indexed()?.omitted !== undefined || known === undefined) continue;
      count += 1;
      costlyReads.require(count, BY_WORDS);
    }
  }

  /** The results of a search in order, with those before the offset, and how many there are in all, where that is known. */
  async function findInOrder(query: Page, columns: readonly OrderColumn[], reads: SearchReads) {
    const candidates = await candidatesOf(query.condition, reads);
    requireFewComments(candidates, query, reads.context.budget);
    const examined = async (some: readonly Candidate[]) => {
      const found = await examine(some, query, reads);
      const isDecided = candidates.every(({ isMet, known }) => isMet === true && known !== undefined);
      // Fewer than were wanted are all.
      const isAll = found.length < query.offset + query.limit;
      return { found, total: isAll ? found.length : isDecided ? candidates.length : undefined };
    };
    if (columns.length === 0) return examined(candidates);
    const isCostly = columns.some(({ field }) => searchField(field)?.isCostly);
    if (isCostly) {
      const whole: Page = { ...query, offset: 0, limit: MAX_BUGS_A_SEARCH + 1, needs: 'bugs' };
      const all = await examine(candidates, whole, reads);
      if (all.length > MAX_BUGS_A_SEARCH) throw tooManyBugs();
      const beside = await readBeside(all, columns);
      const products = await productsOf(all, reads);
      const found = sortBugs(all, {
        ...{ columns, context: reads.context, products },
        bugOf: (one) => one,
        valuesOf: (one, { field }) => beside.get(one)?.get(field.name),
      });
      return { found, total: all.length };
    }
    const known = (await withOrder(candidates, columns, reads)).flatMap((candidate) =>
      candidate.known === undefined ? [] : [{ ...candidate, known: candidate.known }],
    );
    const isDecided = known.every(({ isMet }) => isMet === true);
    const sorted = sortBugs(known, {
      ...{ columns, context: reads.context },
      products: await productsOf(
        known.map((one) => one.known),
        reads,
      ),
      bugOf: (one) => one.known,
      count: isDecided ? query.offset + query.limit : undefined,
    });
    return examined(sorted);
  }

  return {
    /** The bugs that meet a condition and that the caller may see, in order. */
    async find({ order, ...query }: BugQuery, context: SearchContext): Promise<BugResults> {
      const reads = new SearchReads(repositories, context);
      const limit = Math.min(query.limit ?? MAX_BUGS_A_SEARCH, MAX_BUGS_A_SEARCH);
      const page = { ...query, condition: cheapFirst(query.condition), limit };
      const { found, total } = await findInOrder(page, order, reads);
      const bugs = found
        .slice(page.offset, page.offset + page.limit)
        .flatMap((one) => one.read?.bug ?? one.indexed() ?? []);
      return { bugs, total, products: await reads.productsOf(bugs) };
    },

    /** How many bugs meet a condition and may be seen by the caller; throws as `find`. */
    async count(given: Condition, context: SearchContext): Promise<number> {
      const reads = new SearchReads(repositories, context);
      const condition = cheapFirst(given);
      const candidates = await candidatesOf(condition, reads);
      const all: Page = { condition, offset: 0, limit: Number.POSITIVE_INFINITY, needs: 'number' };
      requireFewComments(candidates, all, context.budget);
      return (await examine(candidates, all, reads)).length;
    },
  };
}

/** The read units that reading a bug may take, at least. */
const plannedUnits = ({ known }: Pick<Candidate, 'known'>): number => known?.units ?? 1;

/** Fields for which the comments of each bug are read, unless the index of words narrows the condition. */
const OF_COMMENTS: ReadonlySet<string> = new Set([
  ...['longdesc', 'content', 'commenter', 'comment_tag'],
  ...['longdescs.isprivate', 'longdescs.count'],
]);

/** Whether a bug has to be read for what is needed of it. */
function lacks(known: SearchedBug, needs: BugQuery['needs']): boolean {
  if (known.read !== undefined || needs === 'number') return false;
  if (needs === 'bugs') return true;
  const bug = known.indexed();
  return bug === undefined || bug.omitted?.isDisjointFrom(needs) === false;
}

/** What is kept of a bug that was read until the response is made: long texts only where it shows them. */
function keptOf(one: SearchedBug, needs: BugQuery['needs']): SearchedBug {
  if (one.read === undefined || needs === 'bugs') return one;
  const bug = withoutLongTexts(indexedBugOf(one.read.bug), needs === 'number' ? new Set() : needs);
  const { read: _, ...rest } = one;
  return { ...rest, value: (attribute) => storedIn(bug, attribute), indexed: () => bug };
}

/** Whether a bug that was read is as the index has it. */
const isSame = ({ known }: Candidate, { read }: SearchedBug): boolean =>
  read !== undefined && known?.value('change_count') === changeCount(read.bug);

const productsOf = (bugs: readonly SearchedBug[], reads: SearchReads): Promise<KnownProducts> =>
  reads.products(new Set(bugs.map((bug) => Number(bug.value('product_id')))));

/** The values of the columns that take further reads, by the name of the field. */
async function readBeside(
  all: readonly SearchedBug[],
  columns: readonly OrderColumn[],
): Promise<ReadonlyMap<SearchedBug, ReadonlyMap<string, readonly string[]>>> {
  const costly = columns.flatMap(({ field }) => {
    const reader = searchField(field);
    return reader?.isCostly ? [{ name: field.name, reader }] : [];
  });
  const read = async (one: SearchedBug) => {
    const values = await mapConcurrent(
      costly,
      async ({ name, reader }) => [name, (await reader.read(one)) ?? []] as const,
    );
    one.read?.forget();
    return [one, new Map(values)] as const;
  };
  return new Map(await mapConcurrent(all, read));
}
