import type { Table } from '../../dynamodb/client.ts';
import { errors } from '../../errors.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import { isVisible } from '../permissions.ts';
import type { BugItem } from '../schema.ts';
import { type Candidate, readCandidates } from './candidates.ts';
import { type Condition, meets } from './conditions.ts';
import { compareBy, type OrderColumn } from './order.ts';
import { type AccessPath, allByChange, type PlanSources, pathToAll, planOf } from './plan.ts';
import { type Repositories, SearchReads } from './search-reads.ts';
import type { SearchedBug } from './searched-bug.ts';
import type { Searcher } from './searcher.ts';

/** A parsed search. */
export interface BugQuery {
  condition: Condition;
  /** by id where there are none */
  order: readonly OrderColumn[];
  /** maximum number of results; absent: the maximum of a search */
  limit: number | undefined;
  /** number of results to skip */
  offset: number;
}

/** Maximum number of bugs that a search returns, and that it examines. */
const MAX_BUGS = 10_000;
/** Bugs that are listed to find a short list, where all in order are the alternative. */
const MAX_SHORT_LIST = 1_000;
const FIRST_BATCH = 25;
const MAX_BATCH = 1_600;

/** Searches bugs by the search index. */
export function bugSearch(table: Table, repositories: Repositories) {
  return {
    /**
     * The bugs that meet a condition and that the caller may see, in order.
     *
     * @throws errors.searchTooBroad (400, 32000) when more bugs would have to be looked at than a search may, and as
     * the condition throws
     */
    async find(query: BugQuery, searcher: Searcher): Promise<SearchedBug[]> {
      const reading = new SearchReads(repositories, searcher);
      const candidates = await chooseCandidates(table, query, reading);
      const found = await examine(candidates, query, searcher, reading);
      const sortKeys = query.order.some(({ field }) => field.kind === 'milestone')
        ? await reading.milestoneSortKeys(found)
        : () => 0;
      const { offset, limit = MAX_BUGS } = query;
      return found
        .sort(compareBy(query.order, searcher, sortKeys))
        .slice(offset, offset + Math.min(limit, MAX_BUGS));
    },
  };
}

/** The bugs to look at. */
interface Candidates {
  all: AsyncIterable<Candidate> | Iterable<Candidate>;
  /** whether they come in the requested order, so that the search can stop early */
  isOrdered: boolean;
  /** whether a bug may come at an earlier change than its last, too */
  isByChange: boolean;
}

/**
 * Where users would have to be looked up, a short list that needs no look-up: to filter it costs less than to read all
 * users. Else, where the order allows to stop early and there is one path in it, its candidates; else the shortest of
 * the lists that the paths give; else, if the order allows it, all bugs in order.
 */
async function chooseCandidates(table: Table, query: BugQuery, sources: PlanSources): Promise<Candidates> {
  const { condition, order, limit, offset } = query;
  const natural = limit === undefined ? undefined : naturalOrder(order);
  const inOrder = (path: AccessPath, isReverse: boolean): Candidates => ({
    all: readCandidates(table, path, {
      expected: Math.min(2 * (offset + (limit ?? 0)), MAX_BUGS),
      isReverse,
    }),
    isOrdered: true,
    isByChange: path.kind === 'changed',
  });
  const { direct, lookUpUsers } = await planOf(condition, sources);
  if (lookUpUsers !== undefined) {
    const list = await shortestList(table, direct, MAX_SHORT_LIST);
    if (list !== undefined) return { all: list, isOrdered: false, isByChange: false };
  }
  const paths = [...direct, ...((await lookUpUsers?.()) ?? [])];
  const fitting = paths.find(({ kind }) => kind === natural?.kind);
  if (natural !== undefined && fitting !== undefined && paths.length === 1) {
    return inOrder(fitting, natural.isReverse);
  }
  const short = await shortestList(table, paths, natural === undefined ? MAX_BUGS : MAX_SHORT_LIST);
  if (short !== undefined) return { all: short, isOrdered: false, isByChange: false };
  if (natural === undefined && paths.length > 0) throw tooBroad();
  const everything = natural?.kind === 'changed' ? allByChange() : await pathToAll(condition, sources);
  const path = fitting ?? everything;
  if (path === undefined) throw errors.searchTooBroad('1,000 products');
  if (natural !== undefined) return inOrder(path, natural.isReverse);
  const all = await shortestList(table, [path], MAX_BUGS);
  if (all === undefined) throw tooBroad();
  return { all, isOrdered: false, isByChange: false };
}

/** The shortest of the lists that paths give; undefined when each is longer than `max`. */
async function shortestList(
  table: Table,
  paths: readonly AccessPath[],
  max: number,
): Promise<Candidate[] | undefined> {
  const read = (path: AccessPath) => readCandidates(table, path, { expected: max, isReverse: false });
  const lists = await Promise.all(paths.map((path) => readList(read(path), max)));
  const complete = lists.filter((list) => list !== undefined);
  return complete.sort((a, b) => a.length - b.length)[0];
}

/** The path that gives bugs in an order without sorting them all; undefined: none does. */
function naturalOrder([first]: readonly OrderColumn[]):
  | { kind: AccessPath['kind']; isReverse: boolean }
  | undefined {
  if (first === undefined || first.field.name === 'bug_id') {
    return { kind: 'ranges', isReverse: first?.isDescending ?? false };
  }
  return first.field.name === 'delta_ts' ? { kind: 'changed', isReverse: first.isDescending } : undefined;
}

/** Each bug once; undefined when there are more than `max`. */
async function readList(candidates: AsyncIterable<Candidate>, max: number): Promise<Candidate[] | undefined> {
  const list = new Map<number, Candidate>();
  for await (const candidate of candidates) {
    if (list.size === max && !list.has(candidate.id)) return undefined;
    list.set(candidate.id, candidate);
  }
  return [...list.values()];
}

const tooBroad = () => errors.searchTooBroad('10,000 bugs');

async function examine(
  { all, isOrdered, isByChange }: Candidates,
  { condition, limit = MAX_BUGS, offset }: BugQuery,
  { caller }: Searcher,
  reading: SearchReads,
): Promise<SearchedBug[]> {
  const needed = offset + Math.min(limit, MAX_BUGS);
  const found: SearchedBug[] = [];
  const read = new Map<number, BugItem | undefined>();
  const passed = new Set<number>();
  for await (const batch of batches(all, isOrdered ? needed : MAX_BATCH)) {
    const unread = [...new Set(batch.map(({ id }) => id))].filter((id) => !read.has(id));
    const ids = unread.slice(0, MAX_BUGS - read.size);
    const bugs = await reading.bugs(ids);
    for (const id of ids) read.set(id, bugs.get(id));
    const visible = batch.flatMap(({ id, sortKey }) => {
      const bug = read.get(id);
      const isStale = isByChange && bug !== undefined && !sortKey.startsWith(bug.last_change_time);
      if (bug === undefined || isStale || passed.has(id)) return [];
      passed.add(id);
      return isVisible(bug, caller) ? [bug] : [];
    });
    const searched = await reading.searched(visible);
    const isMet = await mapConcurrent(searched, (one) => meets(condition, one));
    found.push(...searched.filter((_, index) => isMet[index]));
    if (isOrdered && hasEnough(found, needed, isByChange)) break;
    if (ids.length < unread.length) throw tooBroad();
  }
  return found;
}

/** Of those that changed in the same second all are needed: the rest of the order decides between them. */
function hasEnough(found: readonly SearchedBug[], needed: number, isByChange: boolean): boolean {
  const [last, next] = [found[needed - 1], found.at(-1)];
  if (last === undefined || next === undefined) return needed === 0;
  return !isByChange || last.bug.last_change_time !== next.bug.last_change_time;
}

/** Batches of increasing size, so that a small limit reads few bugs. */
async function* batches(
  candidates: AsyncIterable<Candidate> | Iterable<Candidate>,
  needed: number,
): AsyncGenerator<Candidate[]> {
  let size = Math.min(Math.max(needed, FIRST_BATCH), MAX_BATCH);
  let batch: Candidate[] = [];
  for await (const candidate of candidates) {
    batch.push(candidate);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
    size = Math.min(size * 2, MAX_BATCH);
  }
  if (batch.length > 0) yield batch;
}
