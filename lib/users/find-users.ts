import { sizeOf } from '../dynamodb/item-size.ts';
import { countBoundedRead, unitsOf } from '../dynamodb/read-limit.ts';
import { errors } from '../errors.ts';
import { portions } from '../portions.ts';
import { normalizeName } from '../text.ts';
import { userMatcher } from './match.ts';
import type { UserRepository } from './repository.ts';
import type { UserItem } from './schema.ts';

/** Users of all texts together. */
const MAX_MATCHES = 100;

/** Users that a list of members is chosen from. */
const MAX_USERS = 10_000;
/** Users that are read before they are counted. */
const USERS_TOGETHER = 100;

/** The members of groups, ordered by login, by normalized name of the group. Reads every user. */
export async function membersOf(
  users: UserRepository,
  groups: readonly string[],
): Promise<Map<string, UserItem[]>> {
  const members = new Map<string, UserItem[]>(groups.map((name) => [normalizeName(name), []]));
  let count = 0;
  for await (const page of users.index()) {
    count += page.length;
    if (count > MAX_USERS) throw errors.requestTooLarge(`members chosen from at most ${MAX_USERS} users`);
    for (const portion of portions(page, { max: USERS_TOGETHER })) {
      countBoundedRead(0);
      const found = await users.byLogins(portion.map(({ login }) => login));
      countBoundedRead([...found.values()].reduce((sum, user) => sum + unitsOf(sizeOf(user)), 0));
      for (const { login } of portion) {
        const user = found.get(normalizeName(login));
        for (const group of user?.groups ?? []) if (user) members.get(normalizeName(group))?.push(user);
      }
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
  const isShown = (isDisabled: boolean) => includesDisabled || !isDisabled;
  const logins = new Set<string>();
  const wanted = [...new Set(texts.map((text) => text.trim()))];
  const named = await users.byLogins(wanted.filter((text) => !text.includes('*')));
  for (const { login } of named.values()) logins.add(login);
  const matches = userMatcher(wanted.filter((text) => !named.has(normalizeName(text))));
  // The index is read once, however many texts there are.
  if (matches !== undefined) {
    const entries = among?.map((user) => ({ ...user, is_disabled: user.disabled !== undefined }));
    for await (const page of entries === undefined ? users.index() : [entries]) {
      for (const user of page) {
        if (isShown(user.is_disabled) && matches(user)) logins.add(user.login);
      }
      if (logins.size >= max) break;
    }
  }
  const found = await users.byLogins([...logins].slice(0, max));
  return [...logins].flatMap((login) => found.get(normalizeName(login)) ?? []);
}
