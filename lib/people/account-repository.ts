import { isDeepStrictEqual } from 'node:util';
import { portions } from '../base/collections.ts';
import { canBeKey } from '../base/names.ts';
import { normalizeName } from '../base/text.ts';
import type { Table } from '../table/client.ts';
import { sizeOf } from '../table/consumption.ts';
import { allocateIds } from '../table/counters.ts';
import { conditionHeld } from '../table/errors.ts';
import { type IdempotencyRecord, idempotencyActions } from '../table/idempotency.ts';
import { apiKeyKey, userApiKeyKey, userIdKey, userKey } from '../table/keys.ts';
import { type ItemSchema, readItem, readItems, readRange, scanPages, withKey } from '../table/read.ts';
import {
  ABSENT,
  type Action,
  asRead,
  MAX_TRANSACTION_ACTIONS,
  MAX_TRANSACTION_BYTES,
  PRESENT,
  setAction,
  transactWriteRetrying,
  updateItem,
  upsertAction,
} from '../table/write.ts';
import { type AuditNote, auditAction } from './audit/repository.ts';
import { type MailOff, NOTHING_OFF, storedMailOff } from './mail-preferences.ts';
import {
  apiKeyItem,
  awaitsKey,
  storedUserItem,
  type UserApiKeyItem,
  type UserItem,
  userApiKeyItem,
  userIdItem,
  userItem,
} from './schema.ts';
import { userIndexActions } from './user-index.ts';
import { checkText, checkUser } from './validation.ts';

/** A user with API keys. */
export interface Account {
  user: UserItem;
  keys: UserApiKeyItem[];
  /** of what no mails are wanted; absent: nothing, or, of an account to be written, as it is stored */
  mailOff?: MailOff | undefined;
}

/** An account as it was read. */
export interface StoredAccount extends Account {
  /** number of writes of the user and the keys: for optimistic locking */
  revision: number;
}

/** A user to be written. */
export interface AccountWrite {
  /** as it was read; undefined: a new user */
  existing: StoredAccount | undefined;
  /** without the keys of `existing` that are to be removed */
  desired: Account;
}

/** An API key belongs to another user. */
class KeyTaken extends Error {
  override name = 'KeyTaken';
}

export type AccountRepository = ReturnType<typeof accountRepository>;

/** Reads and writes users with their API keys. */
export function accountRepository(table: Table) {
  return {
    /** The account with a login, in any case; unknown: undefined. */
    async read(login: string): Promise<StoredAccount | undefined> {
      // The user is read first: if the keys change afterwards, the revision is outdated and the write is refused.
      if (!canBeKey(login)) return undefined;
      const stored = await readItem(table, userKey(login), storedUserItem);
      if (stored === undefined) return undefined;
      const { revision, mail_off: mailOff, ...user } = stored;
      const { pk, sk: prefix } = userApiKeyKey(login, '');
      const keys = await readRange(table, { pk, prefix }, userApiKeyItem);
      return { user, revision, mailOff, keys };
    },

    /** The login of the user with an id; unknown: undefined. */
    async loginOf(id: number): Promise<string | undefined> {
      return (await readItem(table, userIdKey(id), userIdItem))?.login;
    },

    /** The logins that API keys belong to, by the hash of the key; unknown ones are left out. */
    async ownersOf(hashes: string[]): Promise<Map<string, string>> {
      const owners = await readItems(table, hashes.map(apiKeyKey), withKey(apiKeyItem));
      const byKey = new Map(owners.map(({ pk, user }) => [pk, user.login]));
      return new Map(
        hashes.flatMap((hash) => {
          const login = byKey.get(apiKeyKey(hash).pk);
          return login === undefined ? [] : [[hash, login]];
        }),
      );
    },

    /** Notes that the mail about a key is on its way. */
    async setMailed(login: string, hash: string): Promise<void> {
      const update = { update: userApiKeyKey(login, hash), set: 'REMOVE is_unmailed', values: {} };
      await conditionHeld(updateItem(table, { ...update, condition: PRESENT }));
    },

    /** An id for a new user. */
    allocateUserId: (): Promise<number> => allocateIds(table, 'user'),

    /**
     * Writes a user, and the copy of the user in each API key, so that one read authenticates.
     *
     * @param existing as it was read; undefined: a new user
     * @param given a key of `existing` that it lacks is removed; an imported user is enabled by the first key
     * @param record of the request, to be stored with a new user
     * @param others actions of the same transaction
     * @param audit of a request over REST: the entry of the audit log is in the transaction that writes the user
     * @returns whether there was anything to change
     * @throws InvalidAccount for a login or text that breaks a rule
     * @throws KeyTaken when one of the keys belongs to another user: nothing was written
     * @throws ConditionFailed when the user or a key was written since it was read: of more keys than fit one
     * transaction some may be written, and the same call completes it
     */
    async write(
      existing: StoredAccount | undefined,
      given: Account,
      record?: IdempotencyRecord,
      others: readonly Action[] = [],
      audit?: AuditNote,
    ): Promise<boolean> {
      const desired = enabledByKey(given);
      const { user } = desired;
      checkAccount(desired);
      const changedKeys = keysToWrite({ existing, desired });
      if (changedKeys === undefined) return false;

      for (const { hash } of changedKeys) await refuseTakenKey(table, hash, user);
      let revision = existing?.revision;
      const batches = [
        ...portions(changedKeys, MAX_KEY_ACTIONS, {
          max: MAX_TRANSACTION_BYTES - 2 * sizeOf(user),
          sizeOf: (key) => sizeOf(user) + sizeOf(key),
        }),
      ];
      for (const [index, keys] of (batches.length === 0 ? [[]] : batches).entries()) {
        // The keys are written before the user: a right that is withdrawn does not survive in a key when a later
        // transaction fails.
        const isLast = index >= batches.length - 1;
        const current = isLast ? user : (existing?.user ?? user);
        const mailOff = isLast ? desired.mailOff : undefined;
        const actions = [
          ...accountActions(current, revision, { user, keys, mailOff }),
          ...userIndexActions([{ before: existing?.user, after: current }], table.now()),
        ];
        const recorded = index === 0 ? idempotencyActions(record, table.now()) : [];
        const removed = isLast ? removeKeysActions(existing, desired) : [];
        const last = isLast ? [...others, ...auditActions(table, audit)] : [];
        await transactWriteRetrying(table, [...actions, ...recorded, ...removed, ...last]);
        revision = (revision ?? 0) + 1;
      }
      return true;
    },

    /**
     * Writes existing users without new keys in one transaction.
     *
     * @param audit of a request over REST: its entry of the audit log is in the transaction
     * @returns false when they do not fit: nothing was written
     * @throws InvalidAccount, and ConditionFailed when one of them was written since it was read
     */
    async writeTogether(writes: readonly AccountWrite[], audit?: AuditNote): Promise<boolean> {
      const changes = this.actionsOf(writes);
      const actions = changes.length === 0 ? [] : [...changes, ...auditActions(table, audit)];
      const isTooLarge = sizeOf(actions) > MAX_TRANSACTION_BYTES;
      if (actions.length > MAX_TRANSACTION_ACTIONS || isTooLarge) return false;
      if (actions.length > 0) await transactWriteRetrying(table, actions);
      return true;
    },

    /**
     * The transaction actions that write existing users without new keys; those of users who do not differ are left out.
     *
     * @throws InvalidAccount
     */
    actionsOf(writes: readonly AccountWrite[]): Action[] {
      const ofAccounts = writes.flatMap((write): Action[] => {
        checkAccount(write.desired);
        const keys = keysToWrite(write);
        const { user } = write.desired;
        return keys === undefined ? [] : accountActions(user, write.existing?.revision, { user, keys });
      });
      const changes = writes.map(({ existing, desired }) => ({
        before: existing?.user,
        after: desired.user,
      }));
      return [...ofAccounts, ...userIndexActions(changes, table.now())];
    },

    /** All users, ordered by id. Scans the table. */
    async listUsers(): Promise<UserItem[]> {
      const users = await scanAll(table, 'USER', userItem);
      return users.sort((a, b) => a.id - b.id);
    },
  };
}

const auditActions = (table: Table, audit: AuditNote | undefined): Action[] =>
  audit === undefined ? [] : [auditAction(table, audit)];

/** An imported user cannot log in before there is a key. */
const enabledByKey = ({ user: { disabled, ...user }, ...others }: Account): Account => ({
  user:
    disabled === undefined || (awaitsKey(disabled) && others.keys.length > 0) ? user : { ...user, disabled },
  ...others,
});

function checkAccount({ user, keys }: Account): void {
  checkUser(user);
  for (const { description } of keys) checkText('description', description);
}

/** The keys that are written with a user: all when the user changes; undefined: nothing differs. */
function keysToWrite({ existing, desired }: AccountWrite): UserApiKeyItem[] | undefined {
  const isUserChanged = !isDeepStrictEqual(existing?.user, desired.user);
  const known = new Map(existing?.keys.map((key) => [key.hash, key]));
  const keys = desired.keys.filter((key) => isUserChanged || !isDeepStrictEqual(known.get(key.hash), key));
  const isMailChanged =
    desired.mailOff !== undefined && !isDeepStrictEqual(existing?.mailOff ?? NOTHING_OFF, desired.mailOff);
  const hasRemoved = removeKeysActions(existing, desired).length > 0;
  const isChanged = isUserChanged || isMailChanged || hasRemoved;
  return isChanged || keys.length > 0 ? keys : undefined;
}

/**
 * The transaction actions that write a user, unless it was written since it was read, and keys with their copies, for
 * authentication and for listing; the user index has actions of its own. The condition fails when another user has the id. A
 * session that DynamoDB has removed meanwhile comes back with its end, so it stays refused.
 */
const accountActions = (
  current: UserItem,
  revision: number | undefined,
  { user, keys, mailOff }: Account,
): Action[] => [
  putUserAction(current, revision, mailOff),
  {
    put: { ...userIdKey(current.id), login: current.login },
    condition: 'attribute_not_exists(pk) OR login = :login',
    values: { ':login': current.login },
  },
  ...keys.flatMap((key) => {
    const { hash, revoked, expires_at } = key;
    const end = expires_at === undefined ? {} : { expires_at };
    return [
      upsertAction(apiKeyKey(hash), { user, revoked, ...end }),
      upsertAction(userApiKeyKey(user.login, hash), { ...key }),
    ];
  }),
];

/** All items of a kind. Scans the table. */
export async function scanAll<T>(table: Table, sortKey: string, schema: ItemSchema<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const page of scanPages(table, schema, { sortKey })) all.push(...page);
  return all;
}

/**
 * Each key takes two actions; the user, the user's id, the entry in the user index, its version and an idempotency record one; the
 * removal of a session two, the sign-in that makes another one two, and the entry of the audit log one.
 */
const MAX_KEY_ACTIONS = { max: MAX_TRANSACTION_ACTIONS - 10, sizeOf: () => 2 };

/**
 * The transaction action that writes a user, unless the user or a key was written since it was read.
 *
 * @param revision as it was read; undefined: the user does not exist
 * @param mailOff of what no mails are wanted; undefined: as it is stored
 */
function putUserAction(user: UserItem, revision: number | undefined, mailOff?: MailOff): Action {
  const key = userKey(user.login);
  const mail_off = mailOff && storedMailOff(mailOff);
  const brought = { ...user, ...(mail_off && { mail_off }) };
  if (revision === undefined) return { put: { ...key, ...brought, revision: 1 }, condition: ABSENT };
  const isAllMailed = mailOff !== undefined && mail_off === undefined;
  const removed = { ...NO_ATTRIBUTES, ...(isAllMailed ? { mail_off: undefined } : {}) };
  return setAction(key, { ...removed, ...brought, revision: revision + 1 }, asRead({ revision }));
}

const NO_ATTRIBUTES = Object.fromEntries(Object.keys(userItem.shape).map((name) => [name, undefined]));

/** The transaction actions that remove the keys that a user has no more. */
function removeKeysActions(existing: StoredAccount | undefined, desired: Account): Action[] {
  const kept = new Set(desired.keys.map(({ hash }) => hash));
  const gone = (existing?.keys ?? []).filter(({ hash }) => !kept.has(hash));
  return gone.flatMap(({ hash }) => [
    { remove: apiKeyKey(hash) },
    { remove: userApiKeyKey(desired.user.login, hash) },
  ]);
}

async function refuseTakenKey(table: Table, hash: string, user: UserItem): Promise<void> {
  const owner = (await readItem(table, apiKeyKey(hash), apiKeyItem))?.user;
  if (owner !== undefined && normalizeName(owner.login) !== normalizeName(user.login)) {
    throw new KeyTaken(`One of the API keys of '${user.login}' already belongs to '${owner.login}'`);
  }
}
