import { beforeEach, describe, expect, it } from 'vitest';
import { checkTable, repairTable } from '../../infra/admin/check/check-table.ts';
import { type Finding, lineOf } from '../../infra/admin/check/finding.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { accountRepository } from '../../lib/people/account-repository.ts';
import { findUsers } from '../../lib/people/find-users.ts';
import { hashOf, userRepository } from '../../lib/people/repository.ts';
import type { Table } from '../../lib/table/client.ts';
import { ConditionFailed } from '../../lib/table/errors.ts';
import {
  type Attributes,
  apiKeyKey,
  type Key,
  userApiKeyKey,
  userIdKey,
  userIndexKey,
  userKey,
} from '../../lib/table/keys.ts';
import type { Item } from '../../lib/table/read.ts';
import { deleteItem, putItem, transactWrite } from '../../lib/table/write.ts';
import { newTable } from '../support/bugless.ts';
import { violationsOf } from '../support/integrity.ts';
import { allItems, keyOf } from '../support/table-items.ts';

const ANN = 'ann@example.org';
const BOB = 'bob@example.org';
const HASH = hashOf('key of ann');
const ANNS_KEY = apiKeyKey(HASH);
const LISTED = userApiKeyKey(ANN, HASH);

let table: Table;
beforeEach(async () => {
  table = await newTable();
  const catalogue = {
    groups: [{ name: 'insiders' }, { name: 'taggers' }],
    users: [
      { id: 1, login: ANN, groups: ['taggers'], api_keys: [{ key: 'key of ann' }] },
      { id: 2, login: BOB, api_keys: [{ key: 'key of bob' }] },
    ],
  };
  await applyCatalogue(table, parseCatalogue(catalogue));
});

const put = (item: Item) => putItem(table, item);
const remove = (key: Key) => deleteItem(table, key);

async function itemAt(key: Key): Promise<Item> {
  const found = (await allItems(table)).find((item) => keyOf(item) === keyOf({ ...key }));
  if (found === undefined) throw new Error(`There is no ${keyOf({ ...key })}`);
  return found;
}

/** Changes the copy of Ann in her API key. */
async function changeCopy(fields: Attributes): Promise<void> {
  const key = await itemAt(ANNS_KEY);
  await put({ ...key, user: { ...(key['user'] as object), ...fields } });
}

/** As `npm run admin -- user change` does. */
async function change(fields: { real_name?: string; groups?: string[] }): Promise<void> {
  const ann = await accountRepository(table).read(ANN);
  if (ann === undefined) throw new Error(`${ANN} does not exist`);
  await accountRepository(table).write(ann, { user: { ...ann.user, ...fields }, keys: ann.keys });
}

async function onlyFinding(): Promise<Finding> {
  const [finding, ...others] = (await checkTable(table)).found;
  if (finding === undefined) throw new Error('No violation found');
  expect(others).toEqual([]);
  return finding;
}

const repair = ({ repair: actions }: Finding) => transactWrite(table, Array.isArray(actions) ? actions : []);

describe('an API key with an outdated copy of its user', () => {
  it.each([
    ['another group', { groups: ['taggers', 'insiders'] }],
    ['another name', { real_name: 'Anna' }],
  ])('is updated when the copy has %s', async (_, fields) => {
    const before = await allItems(table);
    await changeCopy(fields);
    const { repaired, left } = await repairTable(table);
    expect(repaired.map(lineOf)).toEqual([`APIKEY#${HASH} APIKEY: its copy of the user '${ANN}' differs`]);
    expect(left.found).toEqual([]);
    expect(await allItems(table)).toEqual(before);
  });

  it('is disabled when the user is', async () => {
    const user = await itemAt(userKey(ANN));
    await put({ ...user, disabled: 'Left' });
    const { repaired, left } = await repairTable(table);
    // The API key, and the entry of the user index.
    expect([repaired.length, left.found]).toEqual([2, []]);
    expect((await itemAt(ANNS_KEY))['user']).toMatchObject({ disabled: 'Left' });
  });

  it.each([
    ['lacks a group', { groups: [] }],
    ['has other groups', { groups: ['insiders'] }],
    ['is disabled', { disabled: 'Left' }],
  ])('gets no rights back when the copy %s', async (_, fields) => {
    await changeCopy(fields);
    const damaged = await allItems(table);
    const { repaired, left } = await repairTable(table);
    expect(repaired).toEqual([]);
    expect(left.found.map(lineOf)).toEqual([
      expect.stringMatching(
        /^APIKEY#.*; it has fewer rights: a change of the user was interrupted, repeat it$/,
      ),
    ]);
    expect(await allItems(table)).toEqual(damaged);
    await change({ groups: [] });
    expect(await violationsOf(table)).toEqual([]);
  });

  it('is not updated when the user has changed since the check', async () => {
    await changeCopy({ groups: ['taggers', 'insiders'] });
    const finding = await onlyFinding();
    const user = await itemAt(userKey(ANN));
    const groups = ['taggers', 'insiders'];
    await put({ ...user, groups, revision: Number(user['revision']) + 1 });
    await put({ ...(await itemAt(userIndexKey(1))), groups });
    await expect(repair(finding)).rejects.toBeInstanceOf(ConditionFailed);
    expect(await violationsOf(table)).toEqual([]);
  });
});

describe('an API key that is not listed', () => {
  beforeEach(() => remove(LISTED));

  it('is listed, which invalidates earlier reads of its user', async () => {
    const before = await accountRepository(table).read(ANN);
    if (before === undefined) throw new Error(`${ANN} does not exist`);
    await repair(await onlyFinding());
    const user = { ...before.user, disabled: 'Left' };
    await expect(accountRepository(table).write(before, { user, keys: before.keys })).rejects.toBeInstanceOf(
      ConditionFailed,
    );
    expect(await violationsOf(table)).toEqual([]);
  });

  it('is not listed when it was revoked since the check', async () => {
    const finding = await onlyFinding();
    await put({ ...(await itemAt(ANNS_KEY)), revoked: true });
    await expect(repair(finding)).rejects.toBeInstanceOf(ConditionFailed);
  });

  it('is reported, not repaired, when its user does not exist', async () => {
    await remove(userKey(ANN));
    await remove(userIndexKey(1));
    const { repaired, left } = await repairTable(table);
    expect(repaired).toEqual([]);
    expect(left.found.map(lineOf)).toContain(
      `USER#${ANN} APIKEY#${HASH}: is missing: an API key of '${ANN}' is not listed and cannot be revoked`,
    );
  });
});

describe('the list of a user’s API keys', () => {
  it('must not contain keys of other users', async () => {
    await put({ ...(await itemAt(LISTED)), ...userApiKeyKey(BOB, HASH) });
    const { repaired, left } = await repairTable(table);
    expect(repaired).toEqual([]);
    expect(left.found.map(lineOf)).toEqual([`USER#${BOB} APIKEY#${HASH}: lists an API key of '${ANN}'`]);
  });

  it('has each key under its hash', async () => {
    await put({ ...(await itemAt(LISTED)), hash: hashOf('key of bob') });
    expect(await violationsOf(table)).toContain(
      `USER#${ANN} APIKEY#${HASH}: key does not match its content, expected USER#${ANN} APIKEY#${hashOf('key of bob')}`,
    );
  });
});

it('the pointer of an id is not repaired when the user has changed since the check', async () => {
  await remove(userIdKey(2));
  const finding = await onlyFinding();
  const user = await itemAt(userKey(BOB));
  await put({ ...user, id: 3, revision: Number(user['revision']) + 1 });
  await expect(repair(finding)).rejects.toBeInstanceOf(ConditionFailed);
});

it('the user index of an earlier version is replaced, and read again by those who remember it', async () => {
  const later = () => new Date(Date.now() + 60_000);
  const users = userRepository(table, later);
  const found = async () => (await findUsers(users, ['example'], 0, false)).map(({ login }) => login);
  const { pk, sk: _, ...entry } = await itemAt(userIndexKey(1));
  await put({ ...entry, pk, sk: `USER#${ANN}` });
  await remove(userIndexKey(1));
  expect(await found()).toEqual([BOB]);
  const { repaired, left } = await repairTable(table);
  expect(repaired.map(lineOf).sort()).toEqual([
    `USERINDEX ENTRY#01#0000000001: is missing; USER#${ANN} USER should have it`,
    `USERINDEX USER#${ANN}: is of an earlier version and not used`,
  ]);
  expect(left.found).toEqual([]);
  expect(await found()).toEqual([ANN, BOB]);
});
