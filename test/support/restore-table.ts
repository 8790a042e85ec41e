import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../lib/dynamodb/client.ts';
import { productIndexVersionKey } from '../../lib/dynamodb/keys.ts';
import type { Item } from '../../lib/dynamodb/read.ts';
import { allItems, keyOf } from './table-items.ts';

const BATCH_SIZE = 25;

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
  const actions = [
    ...gone.map(([, { pk, sk }]) => ({ DeleteRequest: { Key: { pk, sk } } })),
    ...different.map((item) => ({ PutRequest: { Item: advanceVersion(item, now.get(keyOf(item))) } })),
  ];
  for (let at = 0; at < actions.length; at += BATCH_SIZE) {
    const RequestItems = { [table.name]: actions.slice(at, at + BATCH_SIZE) };
    await table.client.send(new BatchWriteCommand({ RequestItems }));
  }
}
