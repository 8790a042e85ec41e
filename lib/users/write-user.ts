import { isDeepStrictEqual } from 'node:util';
import type { Table } from '../dynamodb/client.ts';
import { apiKeyKey, userApiKeyKey, userIdKey, userKey } from '../dynamodb/keys.ts';
import { type Item, readItem, readRange } from '../dynamodb/read.ts';
import {
  ABSENT,
  type Action,
  type Condition,
  MAX_TRANSACTION_ACTIONS,
  PRESENT,
  transactWrite,
} from '../dynamodb/write.ts';
import { normalizeName } from '../text.ts';
import { apiKeyItem, storedUserItem, type UserApiKeyItem, type UserItem, userApiKeyItem } from './schema.ts';

/** A user with API keys. */
export interface UserWithKeys {
  user: UserItem;
  keys: UserApiKeyItem[];
}

/** A user with all of the user's API keys, as they were read. */
export interface StoredUser extends UserWithKeys {
  /** how often the user, or one of the keys, had been written */
  revision: number;
}

/** Reads a user with the keys; unknown: undefined. */
export async function readUser(table: Table, login: string): Promise<StoredUser | undefined> {
  // The user comes first: when the keys change after that, the revision is an old one, and nothing is written upon it.
  const item = await readItem(table, userKey(login));
  if (item === undefined) return undefined;
  const { revision, ...user } = storedUserItem.parse(item);
  const { pk, sk: prefix } = userApiKeyKey(login, '');
  const listed = await readRange(table, { pk, prefix });
  return { user, revision, keys: listed.map((one) => userApiKeyItem.parse(one)) };
}

/** An API key belongs to somebody else already. */
export class KeyTaken extends Error {
  override name = 'KeyTaken';
}

/**
 * Writes a user and what the user's API keys need to know of the user, so that one read authenticates.
 *
 * @param existing as it is in the table; undefined: a new user
 * @param wanted with all keys of `existing`
 * @returns whether there was anything to change
 * @throws KeyTaken when one of the keys is another user's: nothing was written
 * @throws ConditionFailed when somebody else has written, or made, the user or one of the keys since. Nothing was
 * written; of more keys than fit one transaction some may be, and the same is still to do
 */
export async function writeUser(
  table: Table,
  existing: StoredUser | undefined,
  wanted: UserWithKeys,
): Promise<boolean> {
  const { user } = wanted;
  const userChanged = !isDeepStrictEqual(existing?.user, user);
  const known = new Map(existing?.keys.map((key) => [key.hash, key]));
  const changedKeys = wanted.keys.filter(
    (key) => userChanged || !isDeepStrictEqual(known.get(key.hash), key),
  );
  if (!userChanged && changedKeys.length === 0) return false;

  for (const { hash } of changedKeys) await refuseTakenKey(table, hash, user);
  let read = existing?.revision;
  for (const { keys, isLast } of transactionsOf(changedKeys)) {
    // The keys come first: nobody who lost a right keeps it because the second half of a long list failed.
    const now = isLast ? user : (existing?.user ?? user);
    await transactWrite(table, [
      nextRevision(now, read),
      { put: { ...userIdKey(now.id), login: now.login } },
      ...keys.flatMap((key) => keyActions(user, key)),
    ]);
    read = (read ?? 0) + 1;
  }
  return true;
}

/** How many keys fit a transaction: each takes two actions, as do the user and the user's id. */
const MAX_KEYS = MAX_TRANSACTION_ACTIONS / 2 - 1;

function transactionsOf(keys: UserApiKeyItem[]): { keys: UserApiKeyItem[]; isLast: boolean }[] {
  const count = Math.max(1, Math.ceil(keys.length / MAX_KEYS));
  return Array.from({ length: count }, (_, place) => ({
    keys: keys.slice(place * MAX_KEYS, (place + 1) * MAX_KEYS),
    isLast: place === count - 1,
  }));
}

/**
 * Writes a user, when nobody has done so since: of two changes at once, of the user or of the keys, only one goes on.
 *
 * @param read the revision that was read; undefined: there was no such user
 */
export function nextRevision(user: UserItem, read: number | undefined): Action {
  const only = read === undefined ? { condition: ABSENT } : atRevision(read);
  return { put: { ...userKey(user.login), ...user, revision: (read ?? 0) + 1 }, ...only };
}

/** The condition that neither a user nor the user's keys were written since this revision was read. */
export function atRevision(revision: number): { condition: Condition; values?: Item } {
  return revision === 0
    ? { condition: `${PRESENT} AND attribute_not_exists(revision)` }
    : { condition: 'revision = :read', values: { ':read': revision } };
}

function keyActions(user: UserItem, key: UserApiKeyItem): Action[] {
  return [
    { put: { ...apiKeyKey(key.hash), user, revoked: key.revoked } },
    { put: { ...userApiKeyKey(user.login, key.hash), ...key } },
  ];
}

async function refuseTakenKey(table: Table, hash: string, user: UserItem): Promise<void> {
  const item = await readItem(table, apiKeyKey(hash));
  const owner = item === undefined ? undefined : apiKeyItem.parse(item).user;
  if (owner !== undefined && normalizeName(owner.login) !== normalizeName(user.login)) {
    throw new KeyTaken(`One of the API keys of '${user.login}' belongs to '${owner.login}' already`);
  }
}
