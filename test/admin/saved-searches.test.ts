import { expect, it } from 'vitest';
import { checkTable, repairTable } from '../../infra/admin/check/check-table.ts';
import { lineOf } from '../../infra/admin/check/finding.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { savedSearchRepository } from '../../lib/people/saved-searches/repository.ts';
import type { Table } from '../../lib/table/client.ts';
import { savedSearchesKey, sharersKey } from '../../lib/table/keys.ts';
import { deleteItem, putItem } from '../../lib/table/write.ts';
import { newTable, serve } from '../support/bugless.ts';
import { exported } from '../support/exported.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { parseNumbered } from '../support/numbered.ts';
import { allItems } from '../support/table-items.ts';
import { times } from '../support/times.ts';

const ANN = 'ann@example.org';
const query = 'product=Alpha';

const catalogueOf = (saved_searches: object[], id = 5) => ({
  groups: [{ id: 1, name: 'team' }],
  users: [{ id, login: ANN, groups: ['team'], saved_searches }],
});
const apply = (table: Table, catalogue: object) => applyCatalogue(table, parseNumbered(catalogue));
const searchesOf = async (table: Table, id = 5) => (await savedSearchRepository(table).of(id)).searches;

it('a catalogue adds and changes saved searches by their names, and an export brings the same table', async () => {
  const table = await newTable();
  await apply(
    table,
    catalogueOf([
      { name: 'One', query, group: 'Team' },
      { id: 7, name: 'Two', query },
    ]),
  );
  await apply(table, catalogueOf([{ name: 'TWO', query: '?api_key=x&product=Beta' }]));
  expect(await searchesOf(table)).toEqual([
    { id: 8, name: 'One', query, group_id: 1 },
    { id: 7, name: 'TWO', query: 'product=Beta' },
  ]);
  const before = (await allItems(table)).length;
  await apply(table, catalogueOf([{ name: 'One', query }]));
  expect((await searchesOf(table))[0]?.group_id).toBe(1);
  await apply(table, catalogueOf([{ name: 'One', query, group: null }]));
  expect((await searchesOf(table))[0]?.group_id).toBeUndefined();
  expect((await allItems(table)).length).toBe(before);
  const copy = await newTable();
  const file = await exported(table);
  await apply(copy, JSON.parse(file));
  expect(await exported(copy)).toBe(file);
  for (const one of [table, copy]) await expectNoViolations(one);
});

it.each([
  [
    'a name twice',
    [
      { name: 'a', query },
      { name: 'A', query },
    ],
  ],
  [
    'an id twice',
    [
      { id: 1, name: 'a', query },
      { id: 1, name: 'b', query },
    ],
  ],
  ['no parameter', [{ name: 'a', query: 'api_key=x' }]],
  ['an unknown group', [{ name: 'a', query, group: 'unknown' }]],
  ['an id of another search', [{ id: 1, name: 'b', query }]],
  ['too many', times(100, (index) => ({ name: `n${index}`, query }))],
])('a catalogue with %s is refused', async (_, searches) => {
  const table = await newTable();
  await apply(table, catalogueOf([{ id: 1, name: 'Known', query }]));
  await expect(async () => apply(table, catalogueOf(searches))).rejects.toThrow('saved_searches');
  expect(await searchesOf(table)).toHaveLength(1);
});

const LOST = 'SAVEDSEARCHES#9 SAVEDSEARCHES: refers to USERID#9 USERID, which does not exist';

it('check finds and repairs what does not say who shares searches', async () => {
  const table = await newTable();
  await apply(table, catalogueOf([{ name: 'One', query, group: 'team' }]));
  await deleteItem(table, sharersKey(1));
  await putItem(table, { ...sharersKey(2), group_id: 2, user_ids: [5, 9], revision: 3 });
  await putItem(table, {
    ...savedSearchesKey(9),
    ...{ user_id: 9, searches: [{ id: 1, name: 'Lost', query }], last_id: 1, revision: 1 },
  });
  const lines = async () => (await checkTable(table)).found.map(lineOf).toSorted();
  expect(await lines()).toEqual([
    LOST,
    'SHARERS#1 SHARERS: lists the users none, but 5 share searches with the group',
    'SHARERS#2 SHARERS: lists the users 5, 9, but none share searches with the group',
  ]);
  await repairTable(table);
  expect(await lines()).toEqual([LOST]);
});

it('several users share searches with one group at the same time', async () => {
  const table = await newTable();
  const users = times(8, (index) => ({
    ...{ id: index + 1, login: `user-${index}@example.org`, groups: ['team'] },
    api_keys: [{ key: `Key${index}${'0'.repeat(36)}` }],
  }));
  await apply(table, { groups: [{ id: 1, name: 'team' }], users });
  const bugless = await serve(table);
  const path = '/rest/bugless/saved_searches';
  const replies = await Promise.all(
    users.map(({ api_keys: [one] }) =>
      bugless.call('POST', path, { key: one?.key, body: { name: 'One', query, group: 'team' } }),
    ),
  );
  expect(replies.map(({ status }) => status)).toEqual(users.map(() => 201));
  const { body } = await bugless.call('GET', path, { key: users[0]?.api_keys[0]?.key });
  expect(body.saved_searches).toHaveLength(8);
  await expectNoViolations(table);
});
