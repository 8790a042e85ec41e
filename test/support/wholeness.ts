import { expect } from 'vitest';
import type { Table } from '../../lib/db/client.ts';
import type { Item } from '../../lib/db/reading.ts';
import { fold } from '../../lib/text.ts';
import { allItems, keyOf } from './table-items.ts';

/** Checks that each bug's comments are counted without a gap, never go back in time, and are found by their ids. */
export async function expectWholeComments(table: Table): Promise<void> {
  const items = await allItems(table);
  const comments = items.filter(({ pk, sk }) => isOf(pk, 'BUG') && isOf(sk, 'COMMENT'));
  const pointers = items.filter(({ sk }) => sk === 'COMMENT');
  expect(pointers.map(pointerOf).toSorted(byPk)).toEqual(
    comments.map(({ id, ...comment }) => pointerOf({ ...comment, pk: `COMMENT#${id}` })).toSorted(byPk),
  );
  for (const bug of items.filter(({ sk }) => sk === 'BUG')) {
    const its = comments.filter(({ pk }) => pk === bug['pk']);
    expect(its.map(({ count }) => count)).toEqual(its.map((_, place) => place));
    expect(its.length).toBe(bug['comment_count']);
    expect(its.at(-1)?.['creation_time']).toBe(bug['last_comment_time']);
  }
}

/** Checks that every product has its name, its place in the catalogue, a version and its default milestone. */
export async function expectWholeProducts(table: Table): Promise<void> {
  const items = await allItems(table);
  const products = items.filter(({ pk, sk }) => isOf(pk, 'PRODUCT') && sk === 'PRODUCT');
  const names = items.filter(({ sk }) => sk === 'PRODUCTNAME');
  const listed = items.filter(({ pk }) => pk === 'CATALOGUE');
  expect(names.map(({ pk, product_id }) => [pk, product_id]).toSorted()).toEqual(
    products.map(({ name, id }) => [`PRODUCTNAME#${fold(String(name))}`, id]).toSorted(),
  );
  expect(listed.map(({ id, name }) => [id, name])).toEqual(
    products.toSorted(byId).map(({ id, name }) => [id, name]),
  );
  for (const { pk, default_milestone } of products) {
    const parts = items.filter((item) => item['pk'] === pk);
    expect(parts.filter(({ sk }) => isOf(sk, 'VERSION')).length).toBeGreaterThan(0);
    const milestones = parts.filter(({ sk }) => isOf(sk, 'MILESTONE'));
    expect(milestones.map(({ name }) => name)).toContain(default_milestone);
  }
  const owners = new Set(products.map(({ pk }) => pk));
  const orphans = items.filter(({ pk }) => isOf(pk, 'PRODUCT') && !owners.has(pk));
  expect(orphans.map(keyOf)).toEqual([]);
}

const isOf = (key: unknown, kind: string) => String(key).startsWith(`${kind}#`);
const byPk = (a: { pk: unknown }, b: { pk: unknown }) => (String(a.pk) < String(b.pk) ? -1 : 1);
const byId = (a: Item, b: Item) => Number(a['id']) - Number(b['id']);

const pointerOf = ({ pk, bug_id, creation_time, count }: Item) => ({ pk, bug_id, creation_time, count });
