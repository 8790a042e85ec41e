import { portions } from '../base/collections.ts';
import { normalizeName } from '../base/text.ts';
import { countListUnits, readUnits, sizeOf } from '../table/consumption.ts';
import type { UserRepository } from './repository.ts';
import type { UserItem } from './schema.ts';
import { type IndexedUser, indexedUser, userIndexEntry } from './user-index.ts';

/** Users of all texts together. */
const MAX_MATCHES = 100;

/** Members that are read before they are counted. */
const MEMBERS_TOGETHER = 40;

/** The members of groups, ordered by login, by normalized name of the group. */
export async function membersOf(
  users: UserRepository,
  groups: readonly string[],
): Promise<Map<string, UserItem[]>> {
  const members = new Map<string, UserItem[]>(groups.map((name) => [normalizeName(name), []]));
  const logins = (await users.index())
    .flatMap((part) => part.filter((user) => user.groups.some((group) => members.has(group))))
    .map(({ login }) => login)
    .sort();
  for (const portion of portions(logins, { max: MEMBERS_TOGETHER })) {
    const found = await users.byLogins(portion);
    countListUnits([...found.values()].reduce((sum, user) => sum + readUnits(sizeOf(user)), 0));
    for (const login of portion) {
      const user = found.get(login);
      for (const group of user?.groups ?? []) if (user) members.get(normalizeName(group))?.push(user);
    }
  }
  return members;
}

/**
 * The users whose logins or names match one of some texts. A text that is the login of a disabled user finds it.
 *
 * @param limit at most so many matches; 0: the maximum
 * @param among users of whom they have to be; absent: all
 */
export async function findUsers(
  users: UserRepository,
  texts: readonly string[],
  limit: number,
  includesDisabled: boolean,
  among?: readonly UserItem[],
): Promise<UserItem[]> {
  const max = limit === 0 ? MAX_MATCHES : Math.min(limit, MAX_MATCHES);
  const wanted = [...new Set(texts.map((text) => text.trim()))];
  const named = await users.byLogins(wanted.filter((text) => !text.includes('*')));
  const matches = userMatcher(wanted.filter((text) => !named.has(normalizeName(text))));
  const logins = new Set(named.keys());
  if (matches !== undefined) {
    const isFound = (user: IndexedUser) => (includesDisabled || !user.isDisabled) && matches(user);
    const parts = among === undefined ? await users.index() : [among.map(userIndexEntry).map(indexedUser)];
    for (const login of firstLogins(parts, isFound, max)) logins.add(login);
  }
  const shown = [...logins].slice(0, max);
  const found = await users.byLogins(shown);
  return shown.flatMap((login) => found.get(login) ?? []);
}

/** The first logins of the users that a condition is true of, as many as are wanted, in their order. */
function firstLogins(
  parts: readonly (readonly IndexedUser[])[],
  isFound: (user: IndexedUser) => boolean,
  max: number,
): string[] {
  const first = (logins: string[]) => logins.sort().slice(0, max);
  let logins: string[] = [];
  for (const part of parts) {
    for (const user of part) {
      if (!isFound(user)) continue;
      logins.push(user.login);
      if (logins.length >= 2 * max) logins = first(logins);
    }
  }
  return first(logins);
}

/** Shorter texts are parts of too many logins and names. */
const MIN_SUBSTRING_LENGTH = 3;

/** Tests a login or a name, normalized. */
type Matcher = (value: string) => boolean;

/**
 * The test of users that texts to match make. With `*`, a text is a pattern for the whole login or name; else it is the
 * login itself, or a part of login or name of at least 3 characters.
 *
 * @returns undefined for texts that match no user
 */
function userMatcher(texts: readonly string[]): ((user: IndexedUser) => boolean) | undefined {
  const matchers = texts.flatMap((text) => matcherOf(normalizeName(text.trim())) ?? []);
  if (matchers.length === 0) return undefined;
  return ({ login, realName }) => matchers.some((matches) => matches(login) || matches(realName));
}

function matcherOf(text: string): Matcher | undefined {
  if (text.includes('*')) return patternMatcher(text);
  return text.length < MIN_SUBSTRING_LENGTH ? undefined : (value) => value.includes(text);
}

/** Whether a pattern with `*` for any characters matches a complete text. */
function patternMatcher(pattern: string): Matcher {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop() ?? '';
  return (value) => {
    if (!value.startsWith(first) || value.length < first.length + last.length || !value.endsWith(last)) {
      return false;
    }
    const end = value.length - last.length;
    let at = first.length;
    for (const part of others) {
      const found = value.indexOf(part, at);
      if (found < 0 || found + part.length > end) return false;
      at = found + part.length;
    }
    return true;
  };
}
