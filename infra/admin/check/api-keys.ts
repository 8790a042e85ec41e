import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { apiKeyKey, userApiKeyKey, userKey, userPartition } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import { ABSENT, type Action } from '../../../lib/dynamodb/write.ts';
import { atRevision, putUserAction } from '../../../lib/users/account-repository.ts';
import type { storedUserItem, UserItem } from '../../../lib/users/schema.ts';
import { type Check, type Finding, keyText } from './finding.ts';
import { kinds, ofKind, readKind } from './item-kinds.ts';

/** API keys and the lists of them agree, and the copy of the user in an API key agrees with the user. */
export function apiKeysCheck(table: Table): Check {
  return {
    async scan(items) {
      return (await Promise.all([keyFindings(table, items), listFindings(table, items)])).flat();
    },
  };
}

/** An API key with its copy of the user. */
interface ApiKey {
  hash: string;
  user: UserItem;
  revoked: boolean;
}
type StoredUser = z.infer<typeof storedUserItem>;

async function keyFindings(table: Table, items: Item[]): Promise<Finding[]> {
  const keys = ofKind(items, kinds.apiKey).map(({ key, content }): ApiKey => {
    return { hash: key.pk.slice('APIKEY#'.length), ...content };
  });
  const listKey = ({ hash, user }: ApiKey) => userApiKeyKey(user.login, hash);
  const ownerKey = ({ user }: ApiKey) => userKey(user.login);
  const [listedAt, ownerAt] = await Promise.all([
    readKind(table, keys.map(listKey), kinds.listedApiKey),
    readKind(table, keys.map(ownerKey), kinds.user),
  ]);
  return keys.flatMap((key) => {
    const owner = ownerAt(ownerKey(key));
    const isListed = listedAt(listKey(key)) !== undefined;
    return [...(isListed ? [] : [unlisted(key, owner)]), ...ownerFindings(key, owner)];
  });
}

function unlisted({ hash, user, revoked }: ApiKey, owner: StoredUser | undefined): Finding {
  const key = userApiKeyKey(user.login, hash);
  const item = keyText(key);
  const violation = `is missing: an API key of '${user.login}' is not listed and cannot be revoked`;
  if (owner === undefined) return { item, violation };
  const { revision, ...ownerFields } = owner;
  // Writing the user advances its revision, so that a concurrent change of the user reads the list of keys again.
  const repair = [
    { put: { ...key, hash, description: '', revoked }, condition: ABSENT },
    { check: apiKeyKey(hash), condition: 'revoked = :revoked', values: { ':revoked': revoked } },
    putUserAction(ownerFields, revision),
  ];
  return { item, violation, repair };
}

function ownerFindings({ hash, user: copy }: ApiKey, owner: StoredUser | undefined): Finding[] {
  const key = apiKeyKey(hash);
  const item = keyText(key);
  if (owner === undefined) return [{ item, violation: `belongs to '${copy.login}', who does not exist` }];
  const { revision, ...user } = owner;
  if (isDeepStrictEqual(user, copy)) return [];
  const violation = `its copy of the user '${copy.login}' differs`;
  // Keys are written before their user: a right that the key lacks was to be revoked from the user too.
  if (hasMoreRights(user, copy)) {
    const reason = 'it has fewer rights: a change of the user was interrupted, repeat it';
    return [{ item, violation: `${violation}; ${reason}` }];
  }
  const repair: Action[] = [
    {
      update: key,
      set: 'SET #user = :user',
      condition: '#user = :read',
      names: { '#user': 'user' },
      values: { ':user': user, ':read': copy },
    },
    { check: userKey(user.login), ...atRevision(revision) },
  ];
  return [{ item, violation, repair }];
}

function hasMoreRights(user: UserItem, than: UserItem): boolean {
  const isOnlyEnabled = user.disabled === undefined && than.disabled !== undefined;
  return isOnlyEnabled || user.groups.some((group) => !than.groups.includes(group));
}

async function listFindings(table: Table, items: Item[]): Promise<Finding[]> {
  const listed = ofKind(items, kinds.listedApiKey);
  const keyAt = await readKind(
    table,
    listed.map(({ content }) => apiKeyKey(content.hash)),
    kinds.apiKey,
  );
  return listed.flatMap(({ key: { pk, sk }, content: { hash, revoked } }) => {
    const key = keyAt(apiKeyKey(hash));
    const violations =
      key === undefined
        ? ['lists an API key that does not exist']
        : [
            ...(userPartition(key.user.login) === pk ? [] : [`lists an API key of '${key.user.login}'`]),
            ...(key.revoked === revoked
              ? []
              : [`lists the API key as ${stateOf(revoked)}, but it is ${stateOf(key.revoked)}`]),
          ];
    return violations.map((violation) => ({ item: keyText({ pk, sk }), violation }));
  });
}

const stateOf = (isRevoked: boolean) => (isRevoked ? 'revoked' : 'valid');
