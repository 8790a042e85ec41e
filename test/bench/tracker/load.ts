import * as z from 'zod';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { type CounterName, counterKey } from '../../../lib/dynamodb/keys.ts';
import { anyItem, readItem } from '../../../lib/dynamodb/read.ts';
import { batchWrite } from '../../../lib/dynamodb/write.ts';
import type { TableItem } from './ledger.ts';
import type { Tracker } from './tracker.ts';

const WRITERS = 12;
const ITEMS_A_BATCH = 25;
const COUNTED: CounterName[] = [
  'product',
  'component',
  'version',
  'milestone',
  'flagtype',
  'bug',
  'comment',
  'user',
  'group',
];

/**
 * Grows a tracker and its table to this many items. Items that others have created in the table keep their ids, if there
 * are no concurrent writes.
 */
export async function growInTable(table: Table, tracker: Tracker, items: number): Promise<void> {
  for (const what of COUNTED) {
    const counter = await readItem(table, counterKey(what), anyItem);
    if (counter !== undefined) tracker.ids.movePast(what, counterItem.parse(counter).last);
  }
  // All writers share the batches.
  const batches = inBatches(tracker.grow(items));
  const write = async () => {
    for (const batch of batches) await batchWrite(table, batch);
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}

const counterItem = z.object({ last: z.int() });

function* inBatches(items: Iterable<TableItem>): Generator<TableItem[]> {
  let batch: TableItem[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length === ITEMS_A_BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
