import type { Table } from '../dynamodb/client.ts';
import { advanceCounter } from '../dynamodb/counters.ts';
import type { CounterName } from '../dynamodb/keys.ts';
import type { Catalogue } from './schema.ts';

/** Advances the counters past the ids of a catalogue, so that they are not allocated again. */
export async function advanceCounters(table: Table, catalogue: Catalogue): Promise<void> {
  const { groups, users, products, bugs } = catalogue;
  const idsByCounter: [CounterName, { id?: number | undefined }[]][] = [
    ['group', groups],
    ['user', users],
    ['product', products],
    ['component', products.flatMap((product) => product.components)],
    ['version', products.flatMap((product) => product.versions)],
    ['milestone', products.flatMap((product) => product.milestones)],
    ['flagtype', products.flatMap((product) => product.flag_types)],
    ['bug', bugs],
    ['comment', bugs.flatMap((bug) => bug.comments)],
  ];
  for (const [counter, entries] of idsByCounter) {
    const highest = entries.reduce((highest, { id = 0 }) => Math.max(highest, id), 0);
    if (highest > 0) await advanceCounter(table, counter, highest);
  }
}
