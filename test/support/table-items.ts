import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../lib/dynamodb/client.ts';
import type { Item } from '../../lib/dynamodb/read.ts';

/** Everything that the table holds, ordered by key. */
export async function allItems(table: Table): Promise<Item[]> {
  const items: Item[] = [];
  let start: Item | undefined;
  do {
    const page = await table.client.send(
      new ScanCommand({ TableName: table.name, ConsistentRead: true, ExclusiveStartKey: start }),
    );
    items.push(...(page.Items ?? []));
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
  return items.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/**
 * The same without the counters, because ids that were taken and not used leave a gap, and without the version of the
 * product index, which says when it was written.
 */
export async function itemsButCounters(table: Table): Promise<Item[]> {
  const isCounter = ({ pk, sk }: Item) =>
    String(pk).startsWith('COUNTER#') || (pk === 'PRODUCTINDEX' && sk === 'VERSION');
  return (await allItems(table)).filter((item) => !isCounter(item));
}

/** An item's key as one text. */
export const keyOf = (item: Item): string => `${item['pk']} ${item['sk']}`;
