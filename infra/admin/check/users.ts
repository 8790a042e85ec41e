import { isDeepStrictEqual } from 'node:util';
import type { Table } from '../../../lib/dynamodb/client.ts';
import {
  apiKeyKey,
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

/** A user's id leads to the user; a user's API keys know the user as the user is, and are listed with the user. */
export function usersCheck(table: Table): Check {
  return {
    async next(items) {
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

/** A user as read, and how often that was written. */
interface Read {
  user: UserItem;
  revision: number;
}

function readOf(item: Item): Read {
  const { revision, ...user } = storedUserItem.parse(item);
  return { user, revision };
}

const still = ({ user, revision }: Read): Action => ({ check: userKey(user.login), ...atRevision(revision) });

async function idFindings(table: Table, items: Item[]): Promise<Finding[]> {
  const users = items.filter(({ sk }) => sk === 'USER').map(readOf);
  const keys = users.map(({ user }) => userIdKey(user.id));
  const pointers = await readBy(table, keys, userIdItem);
  return users.flatMap((read): Finding[] => {
    const { id, login } = read.user;
    const key = userIdKey(id);
    const item = keyText(key);
    const other = pointers.get(item)?.login;
    if (other === login) return [];
    if (other !== undefined) return [{ item, wrong: `it leads to '${other}'; '${login}' has this id too` }];
    const repair = [{ put: { ...key, login }, condition: ABSENT }, still(read)];
    return [{ item, wrong: `'${login}' has this id, and it does not lead there`, repair }];
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
    if (user?.login === login && userIdKey(user.id).pk === item['pk']) return [];
    return [{ item: keyText(item), wrong: `it leads to '${login}', who is not there or has another id` }];
  });
}

/** An API key as it is where requests look for it. */
interface Key {
  hash: string;
  user: UserItem;
  revoked: boolean;
}

async function keyFindings(table: Table, items: Item[]): Promise<Finding[]> {
  const keys = items
    .filter(({ sk }) => sk === 'APIKEY')
    .map((item): Key => ({ hash: hashIn(item['pk']), ...apiKeyItem.parse(item) }));
  const places = keys.map(({ hash, user }) => userApiKeyKey(user.login, hash));
  const logins = keys.map(({ user }) => userKey(user.login));
  const [listings, owners] = await Promise.all([
    readBy(table, places, userApiKeyItem),
    readBy(table, logins, storedUserItem),
  ]);
  return keys.flatMap((key): Finding[] => {
    const stored = owners.get(keyText(userKey(key.user.login)));
    const owner = stored === undefined ? undefined : readOf(stored);
    const isListed = listings.has(keyText(userApiKeyKey(key.user.login, key.hash)));
    return [...(isListed ? [] : [unlisted(key, owner)]), ...ownerFindings(key, owner)];
  });
}

function unlisted({ hash, user, revoked }: Key, owner: Read | undefined): Finding {
  const key = userApiKeyKey(user.login, hash);
  const item = keyText(key);
  const wrong = `an API key of '${user.login}' is not listed, so it cannot be revoked`;
  if (owner === undefined) return { item, wrong };
  // The revision is raised: who changes the user now, without knowing of this key, has to look again.
  const repair = [
    { put: { ...key, hash, description: '', revoked }, condition: ABSENT },
    { check: apiKeyKey(hash), condition: 'revoked = :revoked', values: { ':revoked': revoked } },
    putUserAction(owner.user, owner.revision),
  ];
  return { item, wrong, repair };
}

function ownerFindings({ hash, user: known }: Key, owner: Read | undefined): Finding[] {
  const key = apiKeyKey(hash);
  const item = keyText(key);
  if (owner === undefined)
    return [{ item, wrong: `this API key is one of '${known.login}', who is not there` }];
  if (isDeepStrictEqual(owner.user, known)) return [];
  const wrong = `this API key knows '${known.login}' otherwise than the user is`;
  // Keys are written before their user: what was taken from the key was to be taken from the user too.
  if (hasMoreRights(owner.user, known))
    return [{ item, wrong: `${wrong}, with fewer rights: a change of the user was cut off, make it again` }];
  const copy: Action = {
    update: key,
    set: 'SET #user = :user',
    condition: '#user = :read',
    names: { '#user': 'user' },
    values: { ':user': owner.user, ':read': known },
  };
  return [{ item, wrong, repair: [copy, still(owner)] }];
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
    const found = (wrong: string): Finding => ({ item: keyText(item), wrong: `this API key is ${wrong}` });
    if (key === undefined) return [found('listed and does not work')];
    const isOwn = userPartition(key.user.login) === item['pk'];
    return [
      ...(isOwn ? [] : [found(`listed here, and one of '${key.user.login}'`)]),
      ...(key.revoked === revoked
        ? []
        : [found(`listed as ${named(revoked)}, and it is ${named(key.revoked)}`)]),
    ];
  });
}

async function indexFindings(table: Table, items: Item[]): Promise<Finding[]> {
  const users = items.filter(({ pk, sk }) => kindOf(pk) === 'USER' && sk === 'USER').map(readOf);
  const keys = users.map(({ user }) => userIndexKey(user.login));
  const entries = await readBy(table, keys, userIndexItem);
  return users.flatMap((read): Finding[] => {
    const key = userIndexKey(read.user.login);
    const { id, login, real_name, disabled } = read.user;
    const wanted = { id, login, real_name, is_disabled: disabled !== undefined };
    if (isDeepStrictEqual(entries.get(keyText(key)), wanted)) return [];
    const repair = [putUserIndexAction(read.user), still(read)];
    return [{ item: keyText(key), wrong: `it differs from the user '${login}'`, repair }];
  });
}

async function strayIndexFindings(table: Table, items: Item[]): Promise<Finding[]> {
  const entries = items.filter(({ pk }) => pk === userIndexPartition);
  const keyOf = (item: Item) => userKey(userIndexItem.parse(item).login);
  const users = await readBy(table, entries.map(keyOf), storedUserItem);
  return entries
    .filter((item) => !users.has(keyText(keyOf(item))))
    .map((item) => ({
      item: keyText(item),
      wrong: 'its user is not there',
      repair: [
        { remove: { pk: String(item['pk']), sk: String(item['sk']) } },
        { check: keyOf(item), condition: ABSENT },
      ],
    }));
}

const named = (isRevoked: boolean) => (isRevoked ? 'revoked' : 'valid');

const hashIn = (pk: unknown): string => String(pk).slice('APIKEY#'.length);
