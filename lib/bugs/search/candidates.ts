import type { Table } from '../../dynamodb/client.ts';
import { aliasKey, canBeKey } from '../../dynamodb/keys.ts';
import { type Range, readItems, readPages, withKey } from '../../dynamodb/read.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import { bugPointerItem } from '../schema.ts';
import type { AccessPath } from './plan.ts';

/** A bug that a search may find. */
export interface Candidate {
  id: number;
  /** its position in the order of the path */
  sortKey: string;
}

const indexItem = withKey(bugPointerItem);

const MIN_PAGE_SIZE = 25;

/** How the candidates of a path are read. */
export interface Reading {
  /** about how many are going to be needed */
  expected: number;
  isReverse: boolean;
}

/** The candidates of a path, in its order, read on demand. A bug may occur several times. */
export async function* readCandidates(
  table: Table,
  path: AccessPath,
  { expected, isReverse }: Reading,
): AsyncGenerator<Candidate> {
  if (path.kind === 'named') {
    yield* await readNamed(table, path);
    return;
  }
  const pageSize = Math.max(MIN_PAGE_SIZE, Math.ceil(expected / path.ranges.length));
  yield* merge(
    path.ranges.map((range) => readRangeOf(table, range, { pageSize, isReverse })),
    isReverse,
  );
}

async function readNamed(
  table: Table,
  { ids, aliases }: Extract<AccessPath, { kind: 'named' }>,
): Promise<Candidate[]> {
  const pointers = await readItems(table, aliases.filter(canBeKey).map(aliasKey), bugPointerItem);
  const named = pointers.map(({ bug_id }) => bug_id);
  return [...new Set([...ids, ...named])].sort((a, b) => a - b).map((id) => ({ id, sortKey: '' }));
}

async function* readRangeOf(
  table: Table,
  range: Range,
  paging: { pageSize: number; isReverse: boolean },
): AsyncGenerator<Candidate> {
  for await (const page of readPages(table, range, indexItem, paging)) {
    for (const { sk, bug_id } of page) yield { id: bug_id, sortKey: sortKeyOf(sk) };
  }
}

/** Comparable between ranges: without the role before the id. */
const sortKeyOf = (sk: string): string => sk.replace(/^[A-Z]+#/, '');

/** Joins ordered streams into one, in their order. */
async function* merge(streams: AsyncGenerator<Candidate>[], isReverse: boolean): AsyncGenerator<Candidate> {
  const heads = await mapConcurrent(streams, async (stream) => ({ stream, next: await stream.next() }));
  let open = heads.filter(({ next }) => next.done !== true);
  while (open.length > 0) {
    const first = open.reduce((a, b) => (isBefore(keyOf(b.next), keyOf(a.next), isReverse) ? b : a));
    if (first.next.done !== true) yield first.next.value;
    first.next = await first.stream.next();
    if (first.next.done === true) open = open.filter((head) => head !== first);
  }
}

const keyOf = (next: IteratorResult<Candidate>): string => (next.done === true ? '' : next.value.sortKey);

const isBefore = (a: string, b: string, isReverse: boolean): boolean => (isReverse ? a > b : a < b);
