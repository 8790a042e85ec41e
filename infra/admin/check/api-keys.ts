import { isDeepStrictEqual } from 'node:util';
import { apiKeyKey, type Key, userApiKeyKey, userKey, userPartition } from '../../../lib/dynamodb/keys.ts';
import { ABSENT } from '../../../lib/dynamodb/write.ts';
import { atRevision, putUserAction } from '../../../lib/users/account-repository.ts';
import type { UserItem } from '../../../lib/users/schema.ts';
import { keyText } from './finding.ts';
import { kinds, readKind } from './item-kinds.ts';
import { references } from './reference-check.ts';

const hashIn = ({ pk }: Key) => pk.slice('APIKEY#'.length);
const stateOf = (isRevoked: boolean) => (isRevoked ? 'revoked' : 'valid');

/** API keys and the lists of them agree, and the copy of the user in an API key agrees with the user. */
export const apiKeyChecks = [
  references({
    from: kinds.apiKey,
    to: kinds.listedApiKey,
    references: ({ user }, key) => [{ key: userApiKeyKey(user.login, hashIn(key)), content: hashIn(key) }],
    async problems({ key: check, content: { user, revoked } }, { key, content: hash }, listed, table) {
      if (listed !== undefined) return [];
      const violation = `is missing: an API key of '${user.login}' is not listed and cannot be revoked`;
      const problem = { item: keyText(key), violation };
      const owner = (await readKind(table, [userKey(user.login)], kinds.user))(userKey(user.login));
      if (owner === undefined) return [problem];
      const { revision, imported: _, ...ownerFields } = owner;
      // Writing the user advances its revision, so that a concurrent change of the user reads the list of keys again.
      const repair = [
        { put: { ...key, hash, description: '', revoked }, condition: ABSENT },
        { check, condition: 'revoked = :revoked', values: { ':revoked': revoked } },
        putUserAction(ownerFields, revision),
      ];
      return [{ ...problem, repair }];
    },
  }),
  references({
    from: kinds.apiKey,
    to: kinds.user,
    references: ({ user }) => [{ key: userKey(user.login), content: user }],
    problems({ key }, { key: check, content: copy }, owner) {
      if (owner === undefined) return [`belongs to '${copy.login}', who does not exist`];
      const { revision, imported: _, ...user } = owner;
      if (isDeepStrictEqual(user, copy)) return [];
      const violation = `its copy of the user '${copy.login}' differs`;
      // Keys are written before their user: a right that the key lacks was to be revoked from the user too.
      if (hasMoreRights(user, copy)) {
        return [`${violation}; it has fewer rights: a change of the user was interrupted, repeat it`];
      }
      const update = {
        update: key,
        set: 'SET #user = :user',
        condition: '#user = :read',
        names: { '#user': 'user' },
        values: { ':user': user, ':read': copy },
      };
      return [{ violation, repair: [update, { check, ...atRevision(revision) }] }];
    },
  }),
  references({
    from: kinds.listedApiKey,
    to: kinds.apiKey,
    references: ({ hash, revoked }) => [{ key: apiKeyKey(hash), content: revoked }],
    problems({ key: { pk } }, { content: revoked }, found) {
      if (found === undefined) return ['lists an API key that does not exist'];
      const { login } = found.user;
      return [
        userPartition(login) !== pk && `lists an API key of '${login}'`,
        found.revoked !== revoked &&
          `lists the API key as ${stateOf(revoked)}, but it is ${stateOf(found.revoked)}`,
      ];
    },
  }),
];

function hasMoreRights(user: UserItem, than: UserItem): boolean {
  const isOnlyEnabled = user.disabled === undefined && than.disabled !== undefined;
  return isOnlyEnabled || user.groups.some((group) => !than.groups.includes(group));
}
