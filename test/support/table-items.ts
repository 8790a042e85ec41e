import type { Table } from '../../lib/table/client.ts';
import { type Key, productIndexVersionKey, userIndexShards } from '../../lib/table/keys.ts';
import { anyItem, type Item, scanPages } from '../../lib/table/read.ts';

/** All items of the table, ordered by key. */
export async function allItems(table: Table): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of scanPages(table, anyItem)) items.push(...page);
  return items.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** An item without the time of writing. */
export function withoutLogTime({ logged_at: _, ...item }: Item): Item {
  return item.pk.startsWith('CHANGED#') ? { ...item, sk: item.sk.slice(item.sk.indexOf('#')) } : item;
}

/**
 * All items, without the times of writing, but counters, the versions of the indexes of products and users, superseded
 * entries of the change log, words of comments and the audit log: an interrupted run leaves or advances these, too.
 */
export async function itemsButCounters(table: Table): Promise<Item[]> {
  const isOther = ({ pk, sk, expires_at }: Item) =>
    pk.startsWith('COUNTER#') ||
    pk.startsWith('WORD#') ||
    pk === 'AUDIT' ||
    isVersion({ pk, sk }) ||
    (expires_at !== undefined && /^CHANGED#/.test(pk));
  return (await allItems(table))
    .filter((item) => !isOther(item))
    .map(withoutLogTime)
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

const VERSIONS: ReadonlySet<string> = new Set(
  [productIndexVersionKey, ...userIndexShards.map(({ version }) => version)].map(keyOf),
);

/** Whether an item is the version of an index. */
export const isVersion = (key: Key): boolean => VERSIONS.has(keyOf(key));

/** `pk sk` */
export function keyOf({ pk, sk }: Key): string {
  return `${pk} ${sk}`;
}
