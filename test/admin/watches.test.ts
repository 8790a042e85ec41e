import { expect, it } from 'vitest';
import { checkTable, repairTable } from '../../infra/admin/check/check-table.ts';
import { lineOf } from '../../infra/admin/check/finding.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { watchRepository } from '../../lib/changes/watches/repository.ts';
import { MAX_WATCHED, MAX_WATCHERS } from '../../lib/changes/watches/schema.ts';
import type { Table } from '../../lib/table/client.ts';
import { sizeOf } from '../../lib/table/consumption.ts';
import { type Key, watchersKey, watchesKey } from '../../lib/table/keys.ts';
import { deleteItem, putItem } from '../../lib/table/write.ts';
import { newTable } from '../support/bugless.ts';
import { exported } from '../support/exported.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { times } from '../support/times.ts';

const ANN = 'ann@example.org';
const BOB = 'bob@example.org';
const CAT = 'cat@example.org';

const PRODUCT = {
  ...{ id: 1, name: 'Alpha', description: 'A', classification: 'Unclassified' },
  components: [
    { id: 1, name: 'Core', description: 'C', default_assigned_to: ANN },
    { id: 2, name: 'UI', description: 'U', default_assigned_to: ANN },
  ],
  versions: [{ id: 1, name: '1.0' }],
};
const catalogueOf = (watches: object) => ({
  users: [
    { id: 5, login: ANN, ...watches },
    { id: 6, login: BOB },
    { id: 7, login: CAT },
  ],
  products: [PRODUCT],
});
const apply = (table: Table, catalogue: object) => applyCatalogue(table, parseCatalogue(catalogue));
const watchedBy = async (table: Table, id: number) =>
  (await watchRepository(table).of(id)).watched.map((one) => `${one.kind} ${one.id}`).sort();
const watchersOf = async (table: Table, id: number) => {
  const [found] = (await watchRepository(table).watchersOf([{ kind: 'user', id }])).values();
  return found?.user_ids ?? [];
};

it('a catalogue says what users watch, and an export brings the same table', async () => {
  const table = await newTable();
  const watched_components = [{ product: 'ALPHA', component: 'ui' }, { product: 'Alpha' }];
  // Users and products that the same catalogue brings, oneself, and one twice.
  await apply(table, catalogueOf({ watched_users: ['BOB@example.org', BOB, ANN], watched_components }));
  expect(await watchedBy(table, 5)).toEqual(['component 2', 'product 1', 'user 6']);
  await apply(table, { users: [{ login: ANN, real_name: 'Ann' }] });
  expect(await watchedBy(table, 5)).toHaveLength(3);
  const copy = await newTable();
  const file = await exported(table);
  expect(JSON.parse(file).users).toContainEqual(
    expect.objectContaining({
      ...{ login: ANN, watched_users: [BOB] },
      watched_components: [{ product: 'Alpha' }, { product: 'Alpha', component: 'UI' }],
    }),
  );
  await apply(copy, JSON.parse(file));
  expect(await exported(copy)).toBe(file);
  await apply(table, { users: [{ login: ANN, watched_users: [CAT], watched_components: [] }] });
  expect(await watchedBy(table, 5)).toEqual(['user 7']);
  for (const one of [table, copy]) await expectNoViolations(one);
});

it.each<[what: string, watches: object]>([
  ['an unknown user', { watched_users: ['nobody@example.org'] }],
  ['an unknown product', { watched_components: [{ product: 'Nonsense' }] }],
  ['an unknown component', { watched_components: [{ product: 'Alpha', component: 'Nonsense' }] }],
  ['too many users', { watched_users: times(MAX_WATCHED + 1, () => BOB) }],
  ['another key', { watched_components: [{ product: 'Alpha', version: '1.0' }] }],
])('a catalogue with %s is refused', async (_, watches) => {
  const table = await newTable();
  await expect(async () => apply(table, catalogueOf(watches))).rejects.toThrow('watched_');
  expect(await watchedBy(table, 5)).toEqual([]);
});

it('a catalogue in which too many users watch the same is refused', async () => {
  const table = await newTable();
  const users = times(MAX_WATCHERS + 1, (index) => ({
    ...{ login: `user${index}@example.org`, watched_components: [{ product: 'Alpha' }] },
  }));
  const { users: others, products } = catalogueOf({});
  await expect(async () => apply(table, { users: [...others, ...users], products })).rejects.toThrow(
    `users[${MAX_WATCHERS + others.length}]`,
  );
  expect(await watchedBy(table, 5)).toEqual([]);
});

it('check finds and repairs where what is watched and who watches it do not agree', async () => {
  const table = await newTable();
  await apply(table, catalogueOf({ watched_users: [BOB], watched_components: [{ product: 'Alpha' }] }));
  await deleteItem(table, watchersKey({ kind: 'user', id: 6 }));
  const put = (key: Key, content: object) => putItem(table, { ...key, ...content, revision: 3 });
  const stray = { kind: 'component', id: 2 };
  await put(watchersKey(stray), { ...stray, user_ids: [5, 9] });
  await put(watchesKey(9), { user_id: 9, watched: [{ kind: 'user', id: 8 }] });
  const former = { kind: 'component', id: 3, product_id: 4 };
  await put(watchesKey(7), { user_id: 7, watched: [former] });
  const lines = async () => (await checkTable(table)).found.map(lineOf).toSorted();
  const left = [
    'WATCHES#7 WATCHES: refers to PRODUCT#4 PRODUCT, which does not exist',
    'WATCHES#9 WATCHES: refers to USERID#8 USERID, which does not exist',
    'WATCHES#9 WATCHES: refers to USERID#9 USERID, which does not exist',
  ];
  expect(await lines()).toEqual([
    'WATCHERS#COMPONENT#2 WATCHERS: lists the users 5, 9, but none watch it',
    'WATCHERS#COMPONENT#3 WATCHERS: lists the users none, but 7 watch it',
    'WATCHERS#USER#6 WATCHERS: lists the users none, but 5 watch it',
    'WATCHERS#USER#8 WATCHERS: lists the users none, but 9 watch it',
    ...left,
  ]);
  await repairTable(table);
  expect(await lines()).toEqual(left);
  expect(await watchersOf(table, 6)).toEqual([5]);
});

it('the item with as many watchers as there may be is small', () => {
  const user_ids = times(MAX_WATCHERS, (index) => 1_000_001 + index);
  expect(sizeOf({ kind: 'component', id: 1, user_ids })).toBeLessThan(14_000);
});
