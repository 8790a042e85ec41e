import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../lib/dynamodb/client.ts';
import type { Item } from '../../lib/dynamodb/read.ts';
import { allItems, keyOf } from '../support/table-items.ts';

const A_BATCH = 25;

/**
 * Brings a table back to what it held before, counters too: as good as a new one, and quicker.
 *
 * @param before what it held
 */
export async function restore(table: Table, before: Item[]): Promise<void> {
  const now = new Map((await allItems(table)).map((item) => [keyOf(item), item]));
  const wanted = new Set(before.map(keyOf));
  const gone = [...now].filter(([key]) => !wanted.has(key));
  const different = before.filter((item) => JSON.stringify(now.get(keyOf(item))) !== JSON.stringify(item));
  const actions = [
    ...gone.map(([, { pk, sk }]) => ({ DeleteRequest: { Key: { pk, sk } } })),
    ...different.map((Item) => ({ PutRequest: { Item } })),
  ];
  for (let at = 0; at < actions.length; at += A_BATCH) {
    const RequestItems = { [table.name]: actions.slice(at, at + A_BATCH) };
    await table.client.send(new BatchWriteCommand({ RequestItems }));
  }
}
