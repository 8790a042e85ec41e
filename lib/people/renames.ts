import { portions } from '../base/collections.ts';
import { normalizeName } from '../base/text.ts';
import type { Table } from '../table/client.ts';
import {
  apiKeyKey,
  userApiKeyKey,
  userIdKey,
  userIndexKey,
  userIndexVersionKey,
  userKey,
} from '../table/keys.ts';
import { raiseVersion } from '../table/range-version.ts';
import { anyItem, readItem, readRange } from '../table/read.ts';
import {
  ABSENT,
  type Action,
  MAX_TRANSACTION_ACTIONS,
  transactWriteRetrying,
  upsertAction,
} from '../table/write.ts';
import { atRevision, type StoredAccount } from './account-repository.ts';
import { type ImportedState, type UserApiKeyItem, userApiKeyItem } from './schema.ts';
import { userIndexActions } from './user-index.ts';

/** The present logins of users, by former ones, normalized. */
export type Renames = ReadonlyMap<string, string>;

/** Whether a login that is stored is one that a catalogue has, which may be the later one of the same user. */
export const isSameLogin = (stored: string, given: string, renames: Renames): boolean =>
  stored === given || renames.get(normalizeName(stored)) === given;

/** What of an account has to fit one transaction, beside its keys. */
const OTHER_ACTIONS = 12;
/** For authentication, for listing, and from where it is removed. */
const ACTIONS_PER_KEY = 3;
const MAX_KEYS = Math.floor((MAX_TRANSACTION_ACTIONS - OTHER_ACTIONS) / ACTIONS_PER_KEY);

/**
 * Gives a user another login, under which all of their API keys and sessions go on. The bugs that name the former one are left to the
 * caller. An interrupted call is completed by the same call.
 *
 * @param account as it was read
 * @param holder the account that has the login already, and becomes one with this one, whose rights and state count: keys of a disabled
 *   holder are revoked; undefined: there is none
 * @param since of the change, `YYYY-MM-DDThh:mm:ssZ`
 * @throws ConditionFailed when one of them was written since it was read, or somebody else has taken the login
 */
export async function renameAccount(
  table: Table,
  account: StoredAccount,
  login: string,
  holder: StoredAccount | undefined,
  since: string,
): Promise<void> {
  const former = account.user.login;
  const isSpelling = normalizeName(former) === normalizeName(login);
  const user = { ...account.user, login };
  // An interrupted call has moved some of the keys.
  const { pk, sk: prefix } = userApiKeyKey(login, '');
  const isRevoked = holder?.user.disabled !== undefined;
  const moved =
    holder?.keys.map((key) => ({ ...key, revoked: key.revoked || isRevoked })) ??
    (await readRange(table, { pk, prefix }, userApiKeyItem));
  const put = (key: UserApiKeyItem): Action[] => [
    upsertAction(apiKeyKey(key.hash), { user, revoked: key.revoked, ...endOf(key) }),
    upsertAction(userApiKeyKey(login, key.hash), { ...key }),
  ];
  const move = (key: UserApiKeyItem): Action[] => [...put(key), { remove: userApiKeyKey(former, key.hash) }];
  const write = async (actions: readonly Action[][]) => {
    for (const some of portions(actions, { max: MAX_TRANSACTION_ACTIONS, sizeOf: ({ length }) => length })) {
      await transactWriteRetrying(table, some.flat());
    }
  };
  await write([...moved.map(put), ...account.keys.slice(MAX_KEYS).map(isSpelling ? put : move)]);
  const imported: ImportedState = {
    ...account.imported,
    former: [...formerOf(account.imported), { login: former, since }],
  };
  const revision = Math.max(account.revision, holder?.revision ?? 0) + 1;
  const target = userKey(login);
  const removed: Action[] = isSpelling ? [] : [{ remove: userKey(former), ...atRevision(account.revision) }];
  const stored = isSpelling ? account : holder;
  const others =
    holder === undefined || holder.user.id === user.id ? [] : removeIdActions(holder.user.id, table.now());
  await transactWriteRetrying(table, [
    ...removed,
    {
      // With what other versions have stored of the user.
      put: { ...(await readItem(table, userKey(former), anyItem)), ...user, ...target, imported, revision },
      ...(stored === undefined ? { condition: ABSENT } : atRevision(stored.revision)),
    },
    { put: { ...userIdKey(user.id), login } },
    ...userIndexActions([{ before: account.user, after: user }], table.now()),
    ...others,
    ...account.keys.slice(0, MAX_KEYS).flatMap(isSpelling ? put : move),
  ]);
}

/** The former logins of a user, with when each was changed: what an import read before has them. */
export const formerOf = (imported: ImportedState | undefined): NonNullable<ImportedState['former']> =>
  imported?.former ?? [];

const removeIdActions = (id: number, now: Date): Action[] => [
  { remove: userIdKey(id) },
  { remove: userIndexKey(id) },
  raiseVersion(userIndexVersionKey(id), now),
];

const endOf = ({ expires_at }: UserApiKeyItem) => (expires_at === undefined ? {} : { expires_at });
