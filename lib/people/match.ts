import { normalizeName } from '../base/text.ts';
import type { IndexedUser } from './user-index.ts';

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
export function userMatcher(texts: readonly string[]): ((user: IndexedUser) => boolean) | undefined {
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
