import type { Table } from '../../lib/dynamodb/client.ts';
import { productIndexVersionKey } from '../../lib/dynamodb/keys.ts';
import { anyItem, type Item, scanPages } from '../../lib/dynamodb/read.ts';

/** All items of the table, ordered by key. */
export async function allItems(table: Table): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of scanPages(table, anyItem)) items.push(...page);
  return items.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** All items but counters and the version of the product index: an interrupted run advances them too. */
export async function itemsButCounters(table: Table): Promise<Item[]> {
  const isCounter = ({ pk, sk }: Item) => pk.startsWith('COUNTER#') || sk === productIndexVersionKey.sk;
  return (await allItems(table)).filter((item) => !isCounter(item));
}

/** `pk sk` */
export const keyOf = (item: Item): string => `${item.pk} ${item.sk}`;
