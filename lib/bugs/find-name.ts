import { normalizeName } from '../base/text.ts';

/** A name among others in its own spelling, found in any case, trimmed; absent: undefined. */
export function findName(names: Iterable<string>, given: string): string | undefined {
  const normalized = normalizeName(given.trim());
  for (const name of names) if (normalizeName(name) === normalized) return name;
  return undefined;
}
