import { normalizeName } from '../text.ts';
import type { UserIndexEntry } from './schema.ts';

/** Shorter texts are parts of too many logins and names. */
const MIN_SUBSTRING_LENGTH = 3;

/**
 * The test of a user that a text to match makes: with `*` it is a pattern for the whole login or name; else the login
 * itself, or a part of login or name of at least 3 characters.
 *
 * @returns undefined for a text that matches no user
 */
export function userMatcher(given: string): ((user: UserIndexEntry) => boolean) | undefined {
  const text = normalizeName(given.trim());
  if (text.includes('*')) {
    return isLikeEither((value) => matchesPattern(value, text));
  }
  if (text.length < MIN_SUBSTRING_LENGTH) return undefined;
  return isLikeEither((value) => value.includes(text));
}

const isLikeEither =
  (isLike: (value: string) => boolean) =>
  ({ login, real_name }: UserIndexEntry): boolean =>
    isLike(normalizeName(login)) || isLike(normalizeName(real_name));

/** Whether a pattern with `*` for any characters matches a complete text. */
function matchesPattern(value: string, pattern: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop() ?? '';
  if (!value.startsWith(first) || value.length < first.length + last.length || !value.endsWith(last))
    return false;
  const end = value.length - last.length;
  let at = first.length;
  for (const part of others) {
    const found = value.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
