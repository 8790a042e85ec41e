import { beforeEach, describe, expect, it } from 'vitest';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import type { Catalogue } from '../../lib/catalogue/schema.ts';
import { accountRepository, type StoredAccount } from '../../lib/people/account-repository.ts';
import { hashOf, userRepository } from '../../lib/people/repository.ts';
import { openTable, type Table } from '../../lib/table/client.ts';
import { ConditionFailed } from '../../lib/table/errors.ts';
import { newTable } from '../support/bugless.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { exported } from '../support/exported.ts';
import { expectNoViolations } from '../support/integrity.ts';
import { allItems } from '../support/table-items.ts';

const LOGIN = 'ann@example.org';
const KEY = 'the key of ann';

/** More than fit into two transactions. */
const MANY = 120;

let table: Table;
beforeEach(async () => {
  table = await newTable();
});

const withKeys = (...names: string[]): Catalogue =>
  parseCatalogue({
    groups: [{ name: 'insiders' }],
    users: [
      { login: LOGIN, real_name: 'Ann', groups: ['insiders'], api_keys: names.map((key) => ({ key })) },
    ],
  });

const manyKeys = (): Catalogue => withKeys(...Array.from({ length: MANY }, (_, place) => `key ${place}`));

async function read(): Promise<StoredAccount> {
  const user = await accountRepository(table).read(LOGIN);
  if (user === undefined) throw new Error(`${LOGIN} is not there`);
  return user;
}

const revoke = (stored: StoredAccount, ...hashes: string[]) =>
  accountRepository(table).write(stored, {
    user: stored.user,
    keys: stored.keys.map((key) => ({ ...key, revoked: key.revoked || hashes.includes(key.hash) })),
  });

const create = (stored: StoredAccount, key: string) =>
  accountRepository(table).write(stored, {
    user: stored.user,
    keys: [...stored.keys, { hash: hashOf(key), description: '', revoked: false }],
  });

const rename = (stored: StoredAccount) =>
  accountRepository(table).write(stored, { user: { ...stored.user, real_name: 'Anna' }, keys: stored.keys });

const disable = (stored: StoredAccount, by = table) =>
  accountRepository(by).write(stored, {
    user: { ...stored.user, groups: [], disabled: 'Left' },
    keys: stored.keys,
  });

const callerBy = (key: string) => userRepository(table, () => new Date()).byApiKey(key);

/** The table, with `meanwhile` running before transaction number `place`. */
function withBefore(place: number, meanwhile: () => Promise<unknown>): Table {
  const other = openTable(table.name, dynamoDbEndpoint());
  let transactions = 0;
  other.client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === 'TransactWriteItemsCommand') transactions += 1;
        if (commandName === 'TransactWriteItemsCommand' && transactions === place) await meanwhile();
        return next(args);
      },
    { step: 'initialize' },
  );
  return other;
}

const isDisabled = (user: unknown) => (user as { disabled?: string }).disabled !== undefined;

const cutOff = () => Promise.reject(new Error('cut off'));

describe('of two concurrent changes of a user', () => {
  it.each([
    ['a change', rename],
    ['a new key', (stored: StoredAccount) => create(stored, 'another')],
  ])('%s that is based on a read before a key was revoked is refused', async (_, change) => {
    await applyCatalogue(table, withKeys(KEY));
    const before = await read();
    await revoke(await read(), hashOf(KEY));
    await expect(change(before)).rejects.toBeInstanceOf(ConditionFailed);
    await expect(callerBy(KEY)).rejects.toThrow(/revoked/);
    await expect(callerBy('another')).rejects.toThrow(/not valid/);
  });

  it('one based on a read before a key was created is refused; repeated, it applies to that key too', async () => {
    await applyCatalogue(table, withKeys(KEY));
    const before = await read();
    await create(await read(), 'another');
    await expect(disable(before)).rejects.toBeInstanceOf(ConditionFailed);
    await expectNoViolations(table);
    await disable(await read());
    await expect(callerBy('another')).rejects.toThrow('Left');
  });

  it('one based on a read during the other is refused', async () => {
    await applyCatalogue(table, withKeys(KEY));
    const other = openTable(table.name, dynamoDbEndpoint());
    let reads = -1;
    other.client.middlewareStack.add(
      (next) => async (args) => {
        // The first one is of the format of the table.
        reads += 1;
        if (reads === 2) await revoke(await read(), hashOf(KEY));
        return next(args);
      },
      { step: 'initialize' },
    );
    const torn = await accountRepository(other).read(LOGIN);
    if (torn === undefined) throw new Error(`${LOGIN} is not there`);
    await expect(rename(torn)).rejects.toBeInstanceOf(ConditionFailed);
  });
});

describe('a change of more keys than fit into one transaction', () => {
  it('writes nothing when the user has changed since', async () => {
    table = await newTable(manyKeys());
    const before = await read();
    await revoke(await read(), hashOf('key 7'));
    const items = await allItems(table);
    await expect(disable(before)).rejects.toBeInstanceOf(ConditionFailed);
    expect(await allItems(table)).toEqual(items);
  });

  it('stops when the user changes meanwhile, and can be repeated', async () => {
    table = await newTable(manyKeys());
    const meanwhile = async () => create(await read(), 'another');
    await expect(disable(await read(), withBefore(2, meanwhile))).rejects.toBeInstanceOf(ConditionFailed);
    await disable(await read());
    await expectNoViolations(table);
    for (const key of ['key 0', `key ${MANY - 1}`, 'another']) {
      await expect(callerBy(key)).rejects.toThrow('Left');
    }
  });

  it('succeeds for one of several concurrent ones', async () => {
    table = await newTable(manyKeys());
    const stored = await read();
    const runs = await Promise.allSettled([disable(stored), rename(stored), revoke(stored, hashOf('key 1'))]);
    expect(runs.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expectNoViolations(table);
  });

  it('removes rights from keys first, so that it can be repeated after an interruption', async () => {
    table = await newTable(manyKeys());
    await expect(disable(await read(), withBefore(3, cutOff))).rejects.toThrow('cut off');
    expect((await read()).user.disabled).toBeUndefined();
    const disabled = (await allItems(table)).filter(({ sk, user }) => sk === 'APIKEY' && isDisabled(user));
    expect(disabled).not.toHaveLength(0);
    expect(await disable(await read())).toBe(true);
    await expectNoViolations(table);
    await expect(callerBy(`key ${MANY - 1}`)).rejects.toThrow('Left');
  });

  it('creates a user, also after an interruption, and is idempotent', async () => {
    await expect(applyCatalogue(withBefore(2, cutOff), manyKeys())).rejects.toThrow('cut off');
    await applyCatalogue(table, manyKeys());
    const items = await allItems(table);
    expect(items.filter(({ sk }) => sk === 'APIKEY')).toHaveLength(MANY);
    await expectNoViolations(table);
    expect((await applyCatalogue(table, manyKeys()))['users']).toMatchObject({ unchanged: 1, changed: 0 });
    expect(await allItems(table)).toEqual(items);
  });
});

it('the revision of a user is neither in the API keys nor in an export', async () => {
  await applyCatalogue(table, withKeys(KEY));
  await rename(await read());
  const items = await allItems(table);
  expect(items.find(({ sk }) => sk === 'USER')).toMatchObject({ revision: 2 });
  expect(items.find(({ sk }) => sk === 'APIKEY')?.['user']).not.toHaveProperty('revision');
  const text = await exported(table);
  expect(text).not.toContain('revision');
  expect(parseCatalogue(JSON.parse(text)).users).toHaveLength(1);
});

it('a process that found an account enabled sees within a minute that it is disabled', async () => {
  await applyCatalogue(table, withKeys('a key'));
  let time = Date.now();
  const { disabledAmong } = userRepository(table, () => new Date(time));
  expect(await disabledAmong([LOGIN, 'unknown@example.org'])).toEqual(new Set());
  await disable(await read());
  expect(await disabledAmong([LOGIN])).toEqual(new Set());
  time += 60_000;
  expect(await disabledAmong([LOGIN.toUpperCase()])).toEqual(new Set([LOGIN]));
  expect(await disabledAmong([LOGIN])).toEqual(new Set([LOGIN]));
});
