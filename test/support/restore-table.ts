import type { Table } from '../../lib/dynamodb/client.ts';
import { productIndexVersionKey } from '../../lib/dynamodb/keys.ts';
import type { Item } from '../../lib/dynamodb/read.ts';
import { batchWrite, deleteItem } from '../../lib/dynamodb/write.ts';
import { mapConcurrent } from '../../lib/map-concurrent.ts';
import { allItems, keyOf } from './table-items.ts';

/** Versions must not be reused, because processes cache their content. */
const advanceVersion = (desired: Item, present: Item | undefined): Item =>
  keyOf(desired) === keyOf({ ...productIndexVersionKey })
    ? { ...desired, version: Number(present?.['version']) + 1 }
    : desired;

/**
 * Restores the items of a table, including counters, which is faster than creating a new one.
 *
 * @param before the items to restore
 */
export async function restore(table: Table, before: Item[]): Promise<void> {
  const now = new Map((await allItems(table)).map((item) => [keyOf(item), item]));
  const desired = new Set(before.map(keyOf));
  const gone = [...now].filter(([key]) => !desired.has(key));
  const different = before.filter((item) => JSON.stringify(now.get(keyOf(item))) !== JSON.stringify(item));
  await mapConcurrent(gone, ([, { pk, sk }]) => deleteItem(table, { pk, sk }));
  await batchWrite(
    table,
    different.map((item) => advanceVersion(item, now.get(keyOf(item)))),
  );
}
