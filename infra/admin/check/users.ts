import { isDeepStrictEqual } from 'node:util';
import type { Table } from '../../../lib/db/client.ts';
import { apiKeyKey, userApiKeyKey, userIdKey, userKey } from '../../../lib/db/keys.ts';
import type { Item } from '../../../lib/db/reading.ts';
import { ABSENT, type Action } from '../../../lib/db/writing.ts';
import {
  apiKeyItem,
  type UserItem,
  userApiKeyItem,
  userIdItem,
  userItem,
} from '../../../lib/users/schema.ts';
import { type Check, type Finding, keyText, kindOf } from './finding.ts';
import { readSound } from './item-kinds.ts';

/** A user's id leads to the user; a user's API keys know the user as the user is, and are listed with the user. */
export function usersCheck(table: Table): Check {
  return {
    async next(items) {
      const all = await Promise.all([
        idFindings(table, items),
        idPointerFindings(table, items),
        keyFindings(table, items),
        listedKeyFindings(table, items),
      ]);
      return all.flat();
    },
    end: async () => [],
  };
}

async function idFindings(table: Table, items: Item[]): Promise<Finding[]> {
  const users = items.filter(({ sk }) => sk === 'USER').map((item) => userItem.parse(item));
  const read = await readSound(
    table,
    users.map(({ id }) => userIdKey(id)),
  );
  const loginAt = new Map(read.map((item) => [item['pk'], userIdItem.parse(item).login]));
  return users.flatMap(({ id, login }): Finding[] => {
    const key = userIdKey(id);
    const other = loginAt.get(key.pk);
    if (other === login) return [];
    const item = keyText(key);
    if (other !== undefined) return [{ item, wrong: `it leads to '${other}'; '${login}' has this id too` }];
    const repair = [{ put: { ...key, login }, condition: ABSENT }];
    return [{ item, wrong: `'${login}' has this id, and it does not lead there`, repair }];
  });
}

async function idPointerFindings(table: Table, items: Item[]): Promise<Finding[]> {
  const pointers = items
    .filter(({ sk }) => sk === 'USERID')
    .map((item) => ({ item, login: userIdItem.parse(item).login }));
  const read = await readSound(
    table,
    pointers.map(({ login }) => userKey(login)),
  );
  const idOf = new Map(read.map((item) => userItem.parse(item)).map(({ id, login }) => [login, id]));
  return pointers
    .filter(({ item, login }) => item['pk'] !== userIdKey(idOf.get(login) ?? -1).pk)
    .map(({ item, login }) => ({
      item: keyText(item),
      wrong: `it leads to '${login}', who is not there or has another id`,
    }));
}

async function keyFindings(table: Table, items: Item[]): Promise<Finding[]> {
  const keys = items
    .filter(({ sk }) => sk === 'APIKEY')
    .map((item) => ({ hash: hashIn(item['pk']), ...apiKeyItem.parse(item) }));
  const read = await readSound(
    table,
    keys.flatMap(({ hash, user }) => [userKey(user.login), userApiKeyKey(user.login, hash)]),
  );
  const there = new Map(read.map((item) => [keyText(item), item]));
  return keys.flatMap(({ hash, user, revoked }): Finding[] => {
    const listedAt = userApiKeyKey(user.login, hash);
    const listed = there.get(keyText(listedAt));
    const owner = there.get(keyText(userKey(user.login)));
    const listing = { hash, description: '', revoked };
    return [
      ...(listed === undefined
        ? [
            {
              item: keyText(listedAt),
              wrong: `an API key of '${user.login}' is not listed, so it cannot be revoked`,
              repair: [{ put: { ...listedAt, ...listing }, condition: ABSENT }],
            },
          ]
        : []),
      ...ownerFindings(hash, user, owner),
    ];
  });
}

function ownerFindings(hash: string, known: UserItem, owner: Item | undefined): Finding[] {
  const key = apiKeyKey(hash);
  const item = keyText(key);
  if (owner === undefined)
    return [{ item, wrong: `this API key is one of '${known.login}', who is not there` }];
  const user = userItem.parse(owner);
  if (isDeepStrictEqual(user, known)) return [];
  const repair: Action = {
    update: key,
    set: 'SET #user = :user',
    condition: '#user = :read',
    names: { '#user': 'user' },
    values: { ':user': user, ':read': known },
  };
  return [
    { item, wrong: `this API key knows '${known.login}' otherwise than as the user is`, repair: [repair] },
  ];
}

async function listedKeyFindings(table: Table, items: Item[]): Promise<Finding[]> {
  const listed = items
    .filter(({ pk, sk }) => kindOf(pk) === 'USER' && kindOf(sk) === 'APIKEY')
    .map((item) => ({ item, ...userApiKeyItem.parse(item) }));
  const read = await readSound(
    table,
    listed.map(({ hash }) => apiKeyKey(hash)),
  );
  const keys = new Map(read.map((item) => [hashIn(item['pk']), apiKeyItem.parse(item)]));
  return listed.flatMap(({ item, hash, revoked }): Finding[] => {
    const key = keys.get(hash);
    if (key?.revoked === revoked) return [];
    const wrong =
      key === undefined ? 'this API key is listed and does not work' : 'this API key is listed as ';
    const state = key === undefined ? '' : `${named(revoked)}, and it is ${named(key.revoked)}`;
    return [{ item: keyText(item), wrong: wrong + state }];
  });
}

const named = (isRevoked: boolean) => (isRevoked ? 'revoked' : 'valid');

const hashIn = (pk: unknown): string => String(pk).slice('APIKEY#'.length);
