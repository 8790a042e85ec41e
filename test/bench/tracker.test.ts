import { expect, test } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { exportCatalogue } from '../../lib/catalogue/export.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import type { Table } from '../../lib/dynamodb/client.ts';
import { allocateIds } from '../../lib/dynamodb/counters.ts';
import { newTable, serve } from '../support/bugless.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { allItems, keyOf } from '../support/table-items.ts';
import { growInTable } from './tracker/load.ts';
import { Tracker } from './tracker/tracker.ts';

const SEED = 6;

async function exported(table: Table) {
  let json = '';
  for await (const piece of exportCatalogue(table)) json += piece;
  return parseCatalogue(JSON.parse(json));
}

test('a grown tracker has the items that the same data would have as a catalogue', async () => {
  const [grown, applied] = [await newTable(), await newTable()];
  const tracker = new Tracker(SEED);
  await growInTable(grown, tracker, 500);
  await growInTable(grown, tracker, 1_500);
  await applyCatalogue(applied, await exported(grown));
  // A catalogue has neither the entries that comments leave in the search index, nor versions.
  const itemsOf = async (table: Table) =>
    (await allItems(table)).filter(({ pk, sk }) => !String(pk).startsWith('CHANGED#') && sk !== 'VERSION');
  const items = await itemsOf(grown);
  expect(items.length).toBeGreaterThan(1_000);
  expect(items).toEqual(await itemsOf(applied));
}, 60_000);

test('a tracker that grows in steps is the one that grows at once', () => {
  const [inSteps, atOnce] = [new Tracker(SEED), new Tracker(SEED)];
  const written = new Map([...inSteps.grow(400), ...inSteps.grow(2_000)].map((item) => [keyOf(item), item]));
  const all = [...atOnce.grow(2_000)];
  expect(all.length).toBe(written.size);
  for (const item of all) expect(written.get(keyOf(item))).toEqual(item);
});

test('another seed is another tracker', () => {
  const texts = (seed: number) => [...new Tracker(seed).grow(100)].map(({ text }) => text);
  expect(texts(1)).toEqual(texts(1));
  expect(texts(1)).not.toEqual(texts(2));
});

test('a tracker grows around what others make in its table', async () => {
  const table = await newTable();
  const tracker = new Tracker(SEED);
  await growInTable(table, tracker, 300);
  const taken = await allocateIds(table, 'comment');
  await growInTable(table, tracker, 1_000);
  const pointers = (await allItems(table)).filter(({ sk }) => sk === 'COMMENT').map(({ pk }) => pk);
  expect(pointers).toContain(`COMMENT#${taken + 1}`);
  expect(pointers).not.toContain(`COMMENT#${taken}`);
  await expectNoViolations(table);
});

test('few of its products, bugs and tags are popular, most are not', () => {
  const items = [...new Tracker(SEED).grow(40_000)];
  const bugs = items.filter(({ sk }) => sk === 'BUG').map((bug) => Number(bug['comment_count']));
  const tags = items.filter(({ sk }) => sk === 'TAG').map((tag) => Number(tag['uses']));
  const share = (all: number[], holds: (n: number) => boolean) => all.filter(holds).length / all.length;
  expect(share(bugs, (comments) => comments <= 6)).toBeGreaterThan(0.6);
  expect(Math.max(...bugs)).toBeGreaterThan(2_000);
  expect(share(tags, (uses) => uses === 1)).toBeGreaterThan(0.4);
  expect(Math.max(...tags)).toBeGreaterThan(50);
  const byProduct = Map.groupBy(
    items.filter(({ sk }) => sk === 'BUG'),
    (bug) => bug['product_id'],
  );
  const sizes = [...byProduct.values()].map(({ length }) => length).sort((a, b) => b - a);
  const ofTheFirstFive = sizes.slice(0, 5).reduce((sum, size) => sum + size, 0);
  expect(ofTheFirstFive).toBeGreaterThan(bugs.length / 3);
});

test('it is served as any other', async () => {
  const table = await newTable();
  const tracker = new Tracker(SEED);
  await growInTable(table, tracker, 2_000);
  const { call } = await serve(table);
  const { bug, since } = tracker.builds.last(10);
  const { body } = await call('GET', `/rest/bug/${bug}/comment?new_since=${since}`);
  expect(body.bugs[bug].comments.length).toBe(10);
});
