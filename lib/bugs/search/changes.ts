import type { Table } from '../../dynamodb/client.ts';
import { bugOfIndexKey, changedPartitions, changedRange } from '../../dynamodb/keys.ts';
import { anyItem, readPages } from '../../dynamodb/read.ts';
import { mapConcurrent } from '../../map-concurrent.ts';

/** A change of a bug. */
export interface Change {
  id: number;
  /** the sort key: `<time>#<id>` */
  at: string;
}

/** Which changes are read, and how. */
export interface ChangeReading {
  /** `YYYY-MM-DDThh:mm:ssZ`; absent: all */
  since?: string | undefined;
  /** the latest first */
  isReverse?: boolean;
  /** about how many are going to be needed */
  expected: number;
}

const MIN_PAGE_SIZE = 25;

/** Changes of bugs in their order, read on demand. A bug occurs once for each of its changes. */
export async function* readChanges(
  table: Table,
  { since = '', isReverse = false, expected }: ChangeReading,
): AsyncGenerator<Change> {
  const pageSize = Math.max(MIN_PAGE_SIZE, Math.ceil(expected / changedPartitions.length));
  const streams = changedPartitions.map(async function* (pk) {
    const pages = readPages(table, { pk, ...changedRange(since) }, anyItem, { pageSize, isReverse });
    for await (const page of pages) for (const key of page) yield { id: bugOfIndexKey(key), at: key.sk };
  });
  const isBefore = (a: string, b: string) => (isReverse ? a > b : a < b);
  const started = await mapConcurrent(streams, async (stream) => ({ stream, next: await stream.next() }));
  let open = started.filter(({ next }) => next.done !== true);
  const keyOf = (next: IteratorResult<Change>) => (next.done === true ? '' : next.value.at);
  while (open.length > 0) {
    const first = open.reduce((a, b) => (isBefore(keyOf(b.next), keyOf(a.next)) ? b : a));
    if (first.next.done !== true) yield first.next.value;
    first.next = await first.stream.next();
    if (first.next.done === true) open = open.filter((one) => one !== first);
  }
}
