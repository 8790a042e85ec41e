import { isDeepStrictEqual } from 'node:util';
import type { Table } from '../../lib/db/client.ts';
import { apiKeyKey, userApiKeyKey, userIdKey, userKey, userPartition } from '../../lib/db/keys.ts';
import { type Item, readItem, readRange } from '../../lib/db/reading.ts';
import { ABSENT, type Action, type Condition, MOST_ACTIONS, writeTogether } from '../../lib/db/writing.ts';
import { fold } from '../../lib/text.ts';
import {
  apiKeyItem,
  type UserApiKeyItem,
  type UserItem,
  userApiKeyItem,
  userItem,
} from '../../lib/users/schema.ts';

/** A user with all of the user's API keys. */
export interface StoredUser {
  user: UserItem;
  keys: UserApiKeyItem[];
}

/** Reads a user with the keys; unknown: undefined. */
export async function readUser(table: Table, login: string): Promise<StoredUser | undefined> {
  const items = await readRange(table, { pk: userPartition(login) });
  const user = items.find((item) => item['sk'] === 'USER');
  if (user === undefined) return undefined;
  const keys = items.filter((item) => item !== user).map((item) => userApiKeyItem.parse(item));
  return { user: userItem.parse(user), keys };
}

/** An API key belongs to somebody else already. */
export class KeyTaken extends Error {
  override name = 'KeyTaken';
}

/**
 * Writes a user and what the user's API keys need to know of the user, so that one read authenticates.
 *
 * @param existing as it is in the table; undefined: a new user
 * @returns whether there was anything to change
 * @throws KeyTaken when one of the keys is another user's
 * @throws ConditionFailed when the user was changed since, or made: nothing of it was written
 */
export async function writeUser(
  table: Table,
  existing: StoredUser | undefined,
  wanted: StoredUser,
): Promise<boolean> {
  const { user } = wanted;
  const userChanged = !isDeepStrictEqual(existing?.user, user);
  const known = new Map(existing?.keys.map((key) => [key.hash, key]));
  const changedKeys = wanted.keys.filter(
    (key) => userChanged || !isDeepStrictEqual(known.get(key.hash), key),
  );
  if (!userChanged && changedKeys.length === 0) return false;

  for (const { hash } of changedKeys) await refuseTakenKey(table, hash, user);
  const keyActions = changedKeys.map((key): Action[] => [
    { put: { ...apiKeyKey(key.hash), user, revoked: key.revoked } },
    { put: { ...userApiKeyKey(user.login, key.hash), ...key } },
  ]);
  const userActions: Action[] = [
    { put: { ...userKey(user.login), ...user }, ...asRead(existing?.user) },
    { put: { ...userIdKey(user.id), login: user.login } },
  ];
  if (userActions.length + 2 * keyActions.length <= MOST_ACTIONS) {
    await writeTogether(table, [...userActions, ...keyActions.flat()]);
    return true;
  }
  // The keys come first: nobody who lost a right keeps it because the second half of a long list failed.
  for (let at = 0; at < keyActions.length; at += MOST_ACTIONS / 2) {
    await writeTogether(table, keyActions.slice(at, at + MOST_ACTIONS / 2).flat());
  }
  await writeTogether(table, userActions);
  return true;
}

/** Nobody else has made or changed the user since. */
function asRead(user: UserItem | undefined): { condition: Condition; values?: Item } {
  if (user === undefined) return { condition: ABSENT };
  const state = { ':name': user.real_name, ':groups': user.groups };
  return user.disabled === undefined
    ? {
        condition: 'real_name = :name AND groups = :groups AND attribute_not_exists(disabled)',
        values: state,
      }
    : {
        condition: 'real_name = :name AND groups = :groups AND disabled = :disabled',
        values: { ...state, ':disabled': user.disabled },
      };
}

async function refuseTakenKey(table: Table, hash: string, user: UserItem): Promise<void> {
  const item = await readItem(table, apiKeyKey(hash));
  const owner = item === undefined ? undefined : apiKeyItem.parse(item).user;
  if (owner !== undefined && fold(owner.login) !== fold(user.login)) {
    throw new KeyTaken(`One of the API keys of '${user.login}' belongs to '${owner.login}' already`);
  }
}
