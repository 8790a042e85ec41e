import { createHash, randomBytes, randomInt } from 'node:crypto';
import { canBeKey } from '../base/names.ts';
import { normalizeName } from '../base/text.ts';
import { errors } from '../errors.ts';
import type { Table } from '../table/client.ts';
import { apiKeyKey, groupIdKey, groupKey, type Key, tokenKey, userIdKey, userKey } from '../table/keys.ts';
import { type ItemSchema, readItem, readItems, withKey } from '../table/read.ts';
import { deleteItem, putItem } from '../table/write.ts';
import { type Caller, callerOf } from './caller.ts';
import { type GroupGraph, openGroupGraph } from './group-graph.ts';
import {
  apiKeyItem,
  type GroupItem,
  groupIdItem,
  groupItem,
  type MailedUser,
  mailedUserItem,
  type ShownUser,
  tokenItem,
  type UserItem,
  userIdItem,
  userItem,
} from './schema.ts';
import { type IndexedUser, openUserIndex } from './user-index.ts';

/** The hexadecimal SHA-256 under which an API key or token is stored. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Users that are read one by one, a unit each. */
const MAX_READ_ONE_BY_ONE = 500;

/** How long an account that was enabled is taken for enabled where bugs are assigned by default, and how many. */
const ENABLED_MS = 60_000;
const MAX_ENABLED = 1_000;

/** As in Bugzilla: three days. */
const TOKEN_SECONDS = 3 * 24 * 60 * 60;

/** Format of a token: a user id, a dash, 22 characters. */
const TOKEN = /^\d+-[A-Za-z0-9_-]{22}$/;

export type UserRepository = ReturnType<typeof userRepository>;

/** Authenticates credentials, and reads groups, and users with all groups in which they are. */
export function userRepository(table: Table, now: () => Date) {
  const userIndex = openUserIndex(table, now);
  const readGraph = openGroupGraph(table);
  const withAllGroups = indexWithAllGroups();
  const enabledUntil = new Map<string, number>();

  const readKey = (hash: string) => Promise.all([readItem(table, apiKeyKey(hash), apiKeyItem), readGraph()]);

  /** @param isSession whether the secret is that of a session, which is refused without an end: an older version wrote it anew */
  async function byKeyHash(hash: string, isSession = false): Promise<Caller> {
    const [key, graph] = await readKey(hash);
    if (key === undefined) throw isSession ? errors.sessionEnded() : errors.apiKeyInvalid();
    const { user, revoked, expires_at } = key;
    if (revoked) throw isSession ? errors.sessionEnded() : errors.apiKeyRevoked();
    // DynamoDB removes items up to two days after their end.
    const isEnded = expires_at === undefined ? isSession : expires_at * 1_000 <= now().getTime();
    if (isEnded) throw errors.sessionEnded();
    if (user.disabled !== undefined) throw errors.accountDisabled(user.disabled);
    return callerOf(graph.withAllGroups(user), graph.inactive);
  }

  /** Reads users by their keys. */
  async function readUsers<T extends UserItem>(keys: readonly Key[], schema: ItemSchema<T>): Promise<T[]> {
    if (keys.length === 0) return [];
    const [users, graph] = await Promise.all([readItems(table, [...keys], schema), readGraph()]);
    return users.map(graph.withAllGroups);
  }

  const byNormalizedLogin = <T extends UserItem>(users: T[]): Map<string, T> =>
    new Map(users.map((user) => [normalizeName(user.login), user]));
  const keysOf = (logins: Iterable<string>) => [...new Set(logins)].filter(canBeKey).map(userKey);

  /** The users with these logins, in any case, by normalized login; unknown ones are omitted. */
  const byLogins = async (logins: Iterable<string>): Promise<Map<string, UserItem>> =>
    byNormalizedLogin(await readUsers(keysOf(logins), userItem));

  /** The same without the groups in which these are by others: a read less. */
  const storedByLogins = async (logins: Iterable<string>): Promise<Map<string, Omit<UserItem, 'groups'>>> =>
    byNormalizedLogin(await readItems(table, keysOf(logins), userItem));

  /**
   * The normalized logins among these whose accounts are disabled. What was found enabled stays so for a minute: each new bug
   * asks for the default assignee of its component.
   */
  async function disabledAmong(logins: Iterable<string>): Promise<Set<string>> {
    const time = now().getTime();
    const asked = [...new Set([...logins].map(normalizeName))].filter(
      (login) => (enabledUntil.get(login) ?? 0) <= time,
    );
    const users = await storedByLogins(asked);
    const isDisabled = (login: string) => users.get(login)?.disabled !== undefined;
    if (enabledUntil.size + asked.length > MAX_ENABLED) enabledUntil.clear();
    for (const login of asked) if (!isDisabled(login)) enabledUntil.set(login, time + ENABLED_MS);
    return new Set(asked.filter(isDisabled));
  }

  return {
    /** The user of an API key. */
    byApiKey: (key: string): Promise<Caller> => byKeyHash(hashOf(key), isSessionSecret(key)),

    /** The user of a token; undefined when the text does not have the format of a token. */
    async byToken(token: string): Promise<Caller | undefined> {
      if (!TOKEN.test(token)) return undefined;
      const stored = await readItem(table, tokenKey(hashOf(token)), tokenItem);
      if (stored === undefined || stored.expires_at * 1_000 <= now().getTime()) throw errors.tokenInvalid();
      return byKeyHash(stored.api_key_hash);
    },

    /** The user with a login and a password, which is an API key, and none of a session. */
    async byPassword(login: string, password: string): Promise<Caller> {
      if (isSessionSecret(password)) throw errors.loginWrong();
      const [key, graph] = await readKey(hashOf(password));
      if (key === undefined) throw errors.loginWrong();
      const { user, revoked } = key;
      if (revoked || normalizeName(user.login) !== normalizeName(login)) throw errors.loginWrong();
      if (user.disabled !== undefined) throw errors.accountDisabled(user.disabled);
      return callerOf(graph.withAllGroups(user), graph.inactive);
    },

    /** Issues a token, valid for three days, to a user who logged in with `password`. */
    async issueToken(userId: number, password: string): Promise<string> {
      const token = `${userId}-${randomBytes(16).toString('base64url')}`;
      const expires_at = Math.floor(now().getTime() / 1_000) + TOKEN_SECONDS;
      await putItem(table, { ...tokenKey(hashOf(token)), api_key_hash: hashOf(password), expires_at });
      return token;
    },

    /** Revokes a token; an unknown one is no error. */
    async revokeToken(token: string): Promise<void> {
      await deleteItem(table, tokenKey(hashOf(token)));
    },

    /** The user with a login, in any case, if there is one. */
    async byLogin(login: string): Promise<UserItem | undefined> {
      return (await byLogins([login])).get(normalizeName(login));
    },

    byLogins,
    disabledAmong,

    /** The users with these logins, with their preferences for mails, as `byLogins`. */
    async mailedByLogins(logins: Iterable<string>): Promise<Map<string, MailedUser>> {
      return byNormalizedLogin(await readUsers(keysOf(logins), mailedUserItem));
    },

    /** The users with these ids, with their preferences for mails; unknown ones are omitted. */
    async mailedByIds(ids: readonly number[]): Promise<MailedUser[]> {
      const pointers = await readItems(table, ids.map(userIdKey), userIdItem);
      const keys = pointers.map(({ login }) => userKey(login));
      return readUsers(keys, mailedUserItem);
    },

    /** What is shown of the users with these logins, as `byLogins`; of many by the user index, which takes a unit. */
    async shownByLogins(logins: Iterable<string>): Promise<ReadonlyMap<string, ShownUser>> {
      const wanted = new Set(logins);
      if (wanted.size <= MAX_READ_ONE_BY_ONE) return storedByLogins(wanted);
      const names = new Set([...wanted].map(normalizeName));
      const found = (await userIndex.all()).flatMap((part) => part.filter(({ login }) => names.has(login)));
      return new Map(found.map(({ login, shown }) => [login, shown]));
    },

    /** The groups with these names, in any case; unknown ones are omitted. */
    groups: (names: readonly string[]): Promise<GroupItem[]> =>
      readItems(table, names.filter(canBeKey).map(groupKey), groupItem),

    /** The names of the groups with these ids, by id; unknown ones are omitted. */
    async groupNames(ids: readonly number[]): Promise<Map<number, string>> {
      const idOf = new Map(ids.map((id) => [groupIdKey(id).pk, id]));
      const found = await readItems(table, ids.map(groupIdKey), withKey(groupIdItem));
      return new Map(found.map(({ pk, name }) => [idOf.get(pk) ?? 0, name]));
    },

    /** What finding users needs of all of them, in parts and in no order. */
    async index(): Promise<readonly (readonly IndexedUser[])[]> {
      const [parts, graph] = await Promise.all([userIndex.all(), readGraph()]);
      return parts.map((part) => withAllGroups(part, graph));
    },

    /** How groups are in groups. */
    groupGraph: readGraph,

    /** The users with these ids, in their order; unknown ones are omitted. */
    async byIds(ids: readonly number[]): Promise<UserItem[]> {
      const pointers = await readItems(table, ids.map(userIdKey), userIdItem);
      const users = await byLogins(pointers.map(({ login }) => login));
      const byId = new Map([...users.values()].map((user) => [user.id, user]));
      return ids.flatMap((id) => byId.get(id) ?? []);
    },
  };
}

/** Gives the users of parts of the index all groups, once for each part that is remembered, and each graph. */
function indexWithAllGroups() {
  const known = new WeakMap<readonly IndexedUser[], { graph: GroupGraph; part: readonly IndexedUser[] }>();
  return (part: readonly IndexedUser[], graph: GroupGraph): readonly IndexedUser[] => {
    const kept = known.get(part);
    if (kept?.graph === graph) return kept.part;
    const next = part.map((user) => {
      const { groups } = graph.withAllGroups(user);
      return groups === user.groups ? user : { ...user, groups: groups.map(normalizeName) };
    });
    known.set(part, { graph, part: next });
    return next;
  };
}

/** The length and alphabet of Bugzilla's API keys. */
const KEY_LENGTH = 40;
const KEY_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** What the secrets of sessions begin with: keys of people have neither dashes nor this length. */
const SESSION_PREFIX = 'session-';

/** Whether a secret is that of a session. */
export const isSessionSecret = (secret: string): boolean => secret.startsWith(SESSION_PREFIX);

/** The secret of a new session. */
export const newSessionSecret = (): string => `${SESSION_PREFIX}${newApiKey()}`;

/** A random API key. */
export function newApiKey(): string {
  return Array.from({ length: KEY_LENGTH }, () => KEY_CHARACTERS[randomInt(KEY_CHARACTERS.length)]).join('');
}

/** The first characters of a key's hash, by which lists and commands name it. */
export const shownHash = (hash: string): string => hash.slice(0, 12);
