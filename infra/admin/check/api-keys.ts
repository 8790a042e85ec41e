import { isDeepStrictEqual } from 'node:util';
import type { UserItem } from '../../../lib/people/schema.ts';
import type { Table } from '../../../lib/table/client.ts';
import {
  apiKeyKey,
  type Key,
  keyText,
  userApiKeyKey,
  userKey,
  userPartition,
} from '../../../lib/table/keys.ts';
import { ABSENT, PRESENT, setAction } from '../../../lib/table/write.ts';
import { kinds } from './item-kinds.ts';
import { references } from './reference-check.ts';

const hashIn = ({ pk }: Key) => pk.slice('APIKEY#'.length);
/** Whether a session has ended: DynamoDB removes its two items at different times. */
const hasEnded = (expires_at: number | undefined, table: Table): boolean =>
  expires_at !== undefined && expires_at * 1_000 <= table.now().getTime();
const stateOf = (isRevoked: boolean) => (isRevoked ? 'revoked' : 'valid');

/** API keys and the lists of them agree, and the copy of the user in an API key agrees with the user. */
export const apiKeyChecks = [
  references({
    from: kinds.apiKey,
    to: kinds.listedApiKey,
    references: ({ user }, key) => [{ key: userApiKeyKey(user.login, hashIn(key)), content: hashIn(key) }],
    problems({ key: check, content }, { key, content: hash }, listed, table) {
      const { user, revoked, expires_at } = content;
      if (listed !== undefined || hasEnded(expires_at, table)) return [];
      const violation = `is missing: an API key of '${user.login}' is not listed and cannot be revoked`;
      const times = expires_at === undefined ? {} : { expires_at };
      // A concurrent change of the user reads the list of keys again.
      const repair = [
        { put: { ...key, hash, description: '', revoked, ...times }, condition: ABSENT },
        { check, ...kinds.apiKey.unchanged(content) },
        {
          update: userKey(user.login),
          set: 'SET revision = revision + :one',
          condition: PRESENT,
          values: { ':one': 1 },
        },
      ];
      return [{ item: keyText(key), violation, repair }];
    },
  }),
  references({
    from: kinds.apiKey,
    to: kinds.user,
    references: ({ user }) => [{ key: userKey(user.login), content: user }],
    problems({ key, content: found }, { key: check, content: copy }, owner) {
      if (owner === undefined) return [`belongs to '${copy.login}', who does not exist`];
      const { revision: _, mail_off: __, ...user } = owner;
      if (isDeepStrictEqual(user, copy)) return [];
      const violation = `its copy of the user '${copy.login}' differs`;
      // Keys are written before their user: a right that the key lacks was to be revoked from the user too.
      if (hasMoreRights(user, copy)) {
        return [`${violation}; it has fewer rights: a change of the user was interrupted, repeat it`];
      }
      const update = setAction(key, { user }, kinds.apiKey.unchanged(found));
      return [{ violation, repair: [update, { check, ...kinds.user.unchanged(owner) }] }];
    },
  }),
  references({
    from: kinds.listedApiKey,
    to: kinds.apiKey,
    references: (listed) => [{ key: apiKeyKey(listed.hash), content: listed }],
    problems({ key: { pk } }, { content: { revoked, expires_at } }, found, table) {
      if (found === undefined) {
        return hasEnded(expires_at, table) ? [] : ['lists an API key that does not exist'];
      }
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
