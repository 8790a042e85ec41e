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

/** The same without the counters: ids that were taken and not used leave a gap, which is no change. */
export async function itemsButCounters(table: Table): Promise<Item[]> {
  return (await allItems(table)).filter((item) => !String(item['pk']).startsWith('COUNTER#'));
}

/** An item's key as one text. */
export const keyOf = (item: Item): string => `${item['pk']} ${item['sk']}`;
