import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import type { Table } from '../../../lib/dynamodb/client.ts';
import {
  apiKeyKey,
  keyOf,
  userApiKeyKey,
  userIdKey,
  userIndexKey,
  userIndexPartition,
  userKey,
  userPartition,
} from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import { ABSENT, type Action } from '../../../lib/dynamodb/write.ts';
import { atRevision, putUserAction, putUserIndexAction } from '../../../lib/users/account-repository.ts';
import {
  apiKeyItem,
  storedUserItem,
  type UserItem,
  userApiKeyItem,
  userIdItem,
  userIndexItem,
} from '../../../lib/users/schema.ts';
import { type Check, type Finding, keyText, kindOf } from './finding.ts';
import { readBy } from './item-kinds.ts';

/** The id of a user points to the user; the copies of the user (in API keys and the user index) agree with the user. */
export function usersCheck(table: Table): Check {
  return {
    async scan(items) {
      const all = await Promise.all([
        idFindings(table, items),
        idPointerFindings(table, items),
        keyFindings(table, items),
        listingFindings(table, items),
        indexFindings(table, items),
        strayIndexFindings(table, items),
      ]);
      return all.flat();
    },
  };
}

/** A user with the revision of the item. */
interface StoredUser {
  user: UserItem;
  revision: number;
}

const split = ({ revision, ...user }: z.infer<typeof storedUserItem>): StoredUser => ({ user, revision });

const parseUser = (item: Item): StoredUser => split(storedUserItem.parse(item));

const unchanged = ({ user, revision }: StoredUser): Action => ({
  check: userKey(user.login),
  ...atRevision(revision),
});

async function idFindings(table: Table, items: Item[]): Promise<Finding[]> {
  const users = items.filter(({ sk }) => sk === 'USER').map(parseUser);
  const keys = users.map(({ user }) => userIdKey(user.id));
  const pointers = await readBy(table, keys, userIdItem);
  return users.flatMap((stored): Finding[] => {
    const { id, login } = stored.user;
    const key = userIdKey(id);
    const item = keyText(key);
    const other = pointers.get(item)?.login;
    if (other === login) return [];
    if (other !== undefined) return [{ item, violation: `points to '${other}'; '${login}' has the same id` }];
    const repair = [{ put: { ...key, login }, condition: ABSENT }, unchanged(stored)];
    return [{ item, violation: `is missing; '${login}' has this id`, repair }];
  });
}

async function idPointerFindings(table: Table, items: Item[]): Promise<Finding[]> {
  const pointers = items
    .filter(({ sk }) => sk === 'USERID')
    .map((item) => ({ item, login: userIdItem.parse(item).login }));
  const keys = pointers.map(({ login }) => userKey(login));
  const users = await readBy(table, keys, storedUserItem);
  return pointers.flatMap(({ item, login }): Finding[] => {
    const user = users.get(keyText(userKey(login)));
    if (user?.login === login && userIdKey(user.id).pk === item.pk) return [];
    return [{ item: keyText(item), violation: `points to '${login}', who does not exist or has another id` }];
  });
}

/** An API key with its copy of the user. */
interface ApiKey {
  hash: string;
  user: UserItem;
  revoked: boolean;
}

async function keyFindings(table: Table, items: Item[]): Promise<Finding[]> {
  const keys = items
    .filter(({ sk }) => sk === 'APIKEY')
    .map((item): ApiKey => ({ hash: hashIn(item.pk), ...apiKeyItem.parse(item) }));
  const places = keys.map(({ hash, user }) => userApiKeyKey(user.login, hash));
  const logins = keys.map(({ user }) => userKey(user.login));
  const [listings, owners] = await Promise.all([
    readBy(table, places, userApiKeyItem),
    readBy(table, logins, storedUserItem),
  ]);
  return keys.flatMap((key): Finding[] => {
    const stored = owners.get(keyText(userKey(key.user.login)));
    const owner = stored === undefined ? undefined : split(stored);
    const isListed = listings.has(keyText(userApiKeyKey(key.user.login, key.hash)));
    return [...(isListed ? [] : [unlisted(key, owner)]), ...ownerFindings(key, owner)];
  });
}

function unlisted({ hash, user, revoked }: ApiKey, owner: StoredUser | undefined): Finding {
  const key = userApiKeyKey(user.login, hash);
  const item = keyText(key);
  const violation = `is missing: an API key of '${user.login}' is not listed and cannot be revoked`;
  if (owner === undefined) return { item, violation };
  // Writing the user advances its revision, so that a concurrent change of the user reads the list of keys again.
  const repair = [
    { put: { ...key, hash, description: '', revoked }, condition: ABSENT },
    { check: apiKeyKey(hash), condition: 'revoked = :revoked', values: { ':revoked': revoked } },
    putUserAction(owner.user, owner.revision),
  ];
  return { item, violation, repair };
}

function ownerFindings({ hash, user: copy }: ApiKey, owner: StoredUser | undefined): Finding[] {
  const key = apiKeyKey(hash);
  const item = keyText(key);
  if (owner === undefined) return [{ item, violation: `belongs to '${copy.login}', who does not exist` }];
  if (isDeepStrictEqual(owner.user, copy)) return [];
  const violation = `its copy of the user '${copy.login}' differs`;
  // Keys are written before their user: a right that the key lacks was to be revoked from the user too.
  if (hasMoreRights(owner.user, copy)) {
    const reason = 'it has fewer rights: a change of the user was interrupted, repeat it';
    return [{ item, violation: `${violation}; ${reason}` }];
  }
  const updateCopy: Action = {
    update: key,
    set: 'SET #user = :user',
    condition: '#user = :read',
    names: { '#user': 'user' },
    values: { ':user': owner.user, ':read': copy },
  };
  return [{ item, violation, repair: [updateCopy, unchanged(owner)] }];
}

function hasMoreRights(user: UserItem, than: UserItem): boolean {
  const isOnlyEnabled = user.disabled === undefined && than.disabled !== undefined;
  return isOnlyEnabled || user.groups.some((group) => !than.groups.includes(group));
}

async function listingFindings(table: Table, items: Item[]): Promise<Finding[]> {
  const listings = items
    .filter(({ pk, sk }) => kindOf(pk) === 'USER' && kindOf(sk) === 'APIKEY')
    .map((item) => ({ item, ...userApiKeyItem.parse(item) }));
  const places = listings.map(({ hash }) => apiKeyKey(hash));
  const keys = await readBy(table, places, apiKeyItem);
  return listings.flatMap(({ item, hash, revoked }): Finding[] => {
    const key = keys.get(keyText(apiKeyKey(hash)));
    const finding = (violation: string): Finding => ({ item: keyText(item), violation });
    if (key === undefined) return [finding('lists an API key that does not exist')];
    const isOwn = userPartition(key.user.login) === item.pk;
    return [
      ...(isOwn ? [] : [finding(`lists an API key of '${key.user.login}'`)]),
      ...(key.revoked === revoked
        ? []
        : [finding(`lists the API key as ${stateOf(revoked)}, but it is ${stateOf(key.revoked)}`)]),
    ];
  });
}

async function indexFindings(table: Table, items: Item[]): Promise<Finding[]> {
  const users = items.filter(({ pk, sk }) => kindOf(pk) === 'USER' && sk === 'USER').map(parseUser);
  const keys = users.map(({ user }) => userIndexKey(user.login));
  const entries = await readBy(table, keys, userIndexItem);
  return users.flatMap((stored): Finding[] => {
    const key = userIndexKey(stored.user.login);
    const { id, login, real_name, disabled } = stored.user;
    const expected = { id, login, real_name, is_disabled: disabled !== undefined };
    if (isDeepStrictEqual(entries.get(keyText(key)), expected)) return [];
    const repair = [putUserIndexAction(stored.user), unchanged(stored)];
    return [{ item: keyText(key), violation: `differs from the user '${login}'`, repair }];
  });
}

async function strayIndexFindings(table: Table, items: Item[]): Promise<Finding[]> {
  const entries = items.filter(({ pk }) => pk === userIndexPartition);
  const ownerKey = (item: Item) => userKey(userIndexItem.parse(item).login);
  const users = await readBy(table, entries.map(ownerKey), storedUserItem);
  return entries
    .filter((item) => !users.has(keyText(ownerKey(item))))
    .map((item) => ({
      item: keyText(item),
      violation: 'its user does not exist',
      repair: [{ remove: keyOf(item) }, { check: ownerKey(item), condition: ABSENT }],
    }));
}

const stateOf = (isRevoked: boolean) => (isRevoked ? 'revoked' : 'valid');

const hashIn = (pk: string): string => pk.slice('APIKEY#'.length);
