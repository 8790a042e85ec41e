import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { checkTable, repairTable } from '../../infra/admin/check/check-table.ts';
import { type Finding, lineOf } from '../../infra/admin/check/finding.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import type { Table } from '../../lib/dynamodb/client.ts';
import { ConditionFailed } from '../../lib/dynamodb/errors.ts';
import {
  apiKeyKey,
  type Key,
  userApiKeyKey,
  userIdKey,
  userIndexKey,
  userKey,
} from '../../lib/dynamodb/keys.ts';
import type { Item } from '../../lib/dynamodb/read.ts';
import { transactWrite } from '../../lib/dynamodb/write.ts';
import { accountRepository } from '../../lib/users/account-repository.ts';
import { hashOf } from '../../lib/users/repository.ts';
import { newTable } from '../support/bugless.ts';
import { wrongsOf } from '../support/integrity.ts';
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

const put = (item: Item) => table.client.send(new PutCommand({ TableName: table.name, Item: item }));
const remove = (key: Key) => table.client.send(new DeleteCommand({ TableName: table.name, Key: { ...key } }));

async function itemAt(key: Key): Promise<Item> {
  const found = (await allItems(table)).find((item) => keyOf(item) === keyOf({ ...key }));
  if (found === undefined) throw new Error(`There is no ${keyOf({ ...key })}`);
  return found;
}

/** Ann's key knows her otherwise in this. */
async function knows(fields: Item): Promise<void> {
  const key = await itemAt(ANNS_KEY);
  await put({ ...key, user: { ...(key['user'] as object), ...fields } });
}

/** What `npm run admin -- user change` does. */
async function change(fields: { real_name?: string; groups?: string[] }): Promise<void> {
  const ann = await accountRepository(table).read(ANN);
  if (ann === undefined) throw new Error(`${ANN} is not there`);
  await accountRepository(table).write(ann, { user: { ...ann.user, ...fields }, keys: ann.keys });
}

async function onlyFinding(): Promise<Finding> {
  const [finding, ...others] = (await checkTable(table)).found;
  if (finding === undefined) throw new Error('Nothing is found');
  expect(others).toEqual([]);
  return finding;
}

const repair = ({ repair: actions = [] }: Finding) => transactWrite(table, actions);

describe('an API key that knows its user otherwise', () => {
  it.each([
    ['has a group more', { groups: ['taggers', 'insiders'] }],
    ['has another name', { real_name: 'Anna' }],
  ])('and there %s, learns how the user is', async (_, fields) => {
    const whole = await allItems(table);
    await knows(fields);
    const { repaired, left } = await repairTable(table);
    expect(repaired.map(lineOf)).toEqual([
      `APIKEY#${HASH} APIKEY: this API key knows '${ANN}' otherwise than the user is`,
    ]);
    expect(left.found).toEqual([]);
    expect(await allItems(table)).toEqual(whole);
  });

  it('and there is enabled, is disabled', async () => {
    const user = await itemAt(userKey(ANN));
    await put({ ...user, disabled: 'Left' });
    const { repaired, left } = await repairTable(table);
    // The API key, and the entry of the user index.
    expect([repaired.length, left.found]).toEqual([2, []]);
    expect((await itemAt(ANNS_KEY))['user']).toMatchObject({ disabled: 'Left' });
  });

  it.each([
    ['lacks a group', { groups: [] }],
    ['has another group', { groups: ['insiders'] }],
    ['is disabled', { disabled: 'Left' }],
  ])('and there %s, gets no rights back: the change is to be made again', async (_, fields) => {
    await knows(fields);
    const damaged = await allItems(table);
    const { repaired, left } = await repairTable(table);
    expect(repaired).toEqual([]);
    expect(left.found.map(lineOf)).toEqual([
      expect.stringMatching(
        /^APIKEY#.*, with fewer rights: a change of the user was cut off, make it again$/,
      ),
    ]);
    expect(await allItems(table)).toEqual(damaged);
    await change({ groups: [] });
    expect(await wrongsOf(table)).toEqual([]);
  });

  it('is left alone when the user was changed since it was found', async () => {
    await knows({ groups: ['taggers', 'insiders'] });
    const finding = await onlyFinding();
    const user = await itemAt(userKey(ANN));
    await put({ ...user, groups: ['taggers', 'insiders'], revision: Number(user['revision']) + 1 });
    await expect(repair(finding)).rejects.toBeInstanceOf(ConditionFailed);
    expect(await wrongsOf(table)).toEqual([]);
  });

  it('is repaired in a table of before changes were counted', async () => {
    const { revision: _, ...old } = await itemAt(userKey(ANN));
    await put(old);
    await knows({ real_name: 'Anna' });
    await repair(await onlyFinding());
    expect(await wrongsOf(table)).toEqual([]);
  });
});

describe('an API key that is not listed', () => {
  beforeEach(() => remove(LISTED).then(() => undefined));

  it('is listed; who read its user before that has to read again', async () => {
    const before = await accountRepository(table).read(ANN);
    if (before === undefined) throw new Error(`${ANN} is not there`);
    await repair(await onlyFinding());
    const user = { ...before.user, disabled: 'Left' };
    await expect(accountRepository(table).write(before, { user, keys: before.keys })).rejects.toBeInstanceOf(
      ConditionFailed,
    );
    expect(await wrongsOf(table)).toEqual([]);
  });

  it.each([
    ['it was revoked', async () => put({ ...(await itemAt(ANNS_KEY)), revoked: true })],
    ['its user was changed', () => change({ real_name: 'Anna' })],
  ])('is not listed as it was found when %s since', async (_, meanwhile) => {
    const finding = await onlyFinding();
    await meanwhile();
    await expect(repair(finding)).rejects.toBeInstanceOf(ConditionFailed);
  });

  it('is only told when there is no such user', async () => {
    await remove(userKey(ANN));
    await remove(userIndexKey(ANN));
    const { repaired, left } = await repairTable(table);
    expect(repaired).toEqual([]);
    expect(left.found.map(lineOf)).toContain(
      `USER#${ANN} APIKEY#${HASH}: an API key of '${ANN}' is not listed, so it cannot be revoked`,
    );
  });
});

describe('the list of a user’s API keys', () => {
  it('has none of another user', async () => {
    await put({ ...(await itemAt(LISTED)), ...userApiKeyKey(BOB, HASH) });
    const { repaired, left } = await repairTable(table);
    expect(repaired).toEqual([]);
    expect(left.found.map(lineOf)).toEqual([
      `USER#${BOB} APIKEY#${HASH}: this API key is listed here, and one of '${ANN}'`,
    ]);
  });

  it('has each under its own hash', async () => {
    await put({ ...(await itemAt(LISTED)), hash: hashOf('key of bob') });
    expect(await wrongsOf(table)).toContain(
      `USER#${ANN} APIKEY#${HASH}: by its content it belongs at USER#${ANN} APIKEY#${hashOf('key of bob')}`,
    );
  });
});

it('an id is not led to a user who was changed since that was found', async () => {
  await remove(userIdKey(2));
  const finding = await onlyFinding();
  const user = await itemAt(userKey(BOB));
  await put({ ...user, id: 3, revision: Number(user['revision']) + 1 });
  await expect(repair(finding)).rejects.toBeInstanceOf(ConditionFailed);
});
