import type { Table } from '../../lib/dynamodb/client.ts';
import { productIndexVersionKey } from '../../lib/dynamodb/keys.ts';
import { anyItem, type Item, scanPages } from '../../lib/dynamodb/read.ts';

/** All items of the table, ordered by key. */
export async function allItems(table: Table): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of scanPages(table, anyItem)) items.push(...page);
  return items.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/**
 * All items but counters, the version of the product index, superseded entries of the search index and words of comments:
 * an interrupted run leaves or advances these, too.
 */
export async function itemsButCounters(table: Table): Promise<Item[]> {
  const isOther = ({ pk, sk, expires_at }: Item) =>
    pk.startsWith('COUNTER#') ||
    pk.startsWith('WORD#') ||
    sk === productIndexVersionKey.sk ||
    (expires_at !== undefined && /^CHANGED#/.test(pk));
  return (await allItems(table)).filter((item) => !isOther(item));
}

/** `pk sk` */
export const keyOf = (item: Item): string => `${item.pk} ${item.sk}`;
