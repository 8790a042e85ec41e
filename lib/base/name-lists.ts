import { normalizeName } from './text.ts';

/** How a list of names changes; `set` replaces it. */
export interface ListUpdate {
  add: string[];
  remove: string[];
  set?: string[] | undefined;
}

/** Names without blank ones, trimmed, each once in whatever case it is repeated. */
export function distinctNames(given: readonly string[]): string[] {
  const names = new Map<string, string>();
  for (const name of given.map((one) => one.trim())) {
    if (name !== '' && !names.has(normalizeName(name))) names.set(normalizeName(name), name);
  }
  return [...names.values()];
}

/**
 * A list of names after an update. Case is ignored; names that are in the list already keep their spelling; a name that
 * is both added and removed is removed.
 *
 * Two lists have rules of their own: ids of dependencies (`relate` in bugs/change/links.ts), where bugs that the caller
 * does not see stay; and groups of users (`updatedList` in users/change-users.ts), where a name that is both added and
 * removed is added.
 *
 * @param known checks the names of the update, and gives their stored spelling
 */
export function updatedNames(
  list: readonly string[],
  { add = [], remove = [], set }: Partial<Readonly<ListUpdate>>,
  known: (names: string[]) => string[] = (names) => names,
): string[] {
  if (set !== undefined) return distinctNames(known(set));
  const removed = new Set(known(remove).map(normalizeName));
  return distinctNames([...list, ...known(add)]).filter((name) => !removed.has(normalizeName(name)));
}
