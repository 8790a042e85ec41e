import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../lib/dynamodb/client.ts';
import { productIndexVersionKey } from '../../lib/dynamodb/keys.ts';
import type { Item } from '../../lib/dynamodb/read.ts';

/** All items of the table, ordered by key. */
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

/** All items but counters and the version of the product index: an interrupted run advances them too. */
export async function itemsButCounters(table: Table): Promise<Item[]> {
  const isCounter = ({ pk, sk }: Item) =>
    String(pk).startsWith('COUNTER#') || sk === productIndexVersionKey.sk;
  return (await allItems(table)).filter((item) => !isCounter(item));
}

/** `pk sk` */
export const keyOf = (item: Item): string => `${item['pk']} ${item['sk']}`;
