import type { Table } from '../db/client.ts';
import { aliasKey, bugKey, canBeKey } from '../db/keys.ts';
import { readItem, readItems } from '../db/reading.ts';
import { errors } from '../errors.ts';
import { isAllDigits } from '../ids.ts';
import type { Caller } from '../users/caller.ts';
import { isVisible } from './access.ts';
import { type BugItem, bugItem, bugPointerItem } from './schema.ts';

export type BugStore = ReturnType<typeof bugStore>;

/** The bugs of the table. */
export function bugStore(table: Table) {
  return {
    /**
     * The id that a text names: all digits are one, else it is an alias, in any case, trimmed. REFERENCE.md 5.
     *
     * @returns undefined for an alias that nobody has
     */
    async idOf(given: string): Promise<number | undefined> {
      const name = given.trim();
      if (isAllDigits(name)) return Number(name);
      const item = canBeKey(name) ? await readItem(table, aliasKey(name)) : undefined;
      return item === undefined ? undefined : bugPointerItem.parse(item).bug_id;
    },

    /** A bug; unknown: undefined. */
    async byId(id: number): Promise<BugItem | undefined> {
      const item = await readItem(table, bugKey(id));
      return item === undefined ? undefined : bugItem.parse(item);
    },

    /** Bugs by id; unknown ones are left out. */
    async byIds(ids: number[]): Promise<Map<number, BugItem>> {
      const bugs = (await readItems(table, ids.map(bugKey))).map((item) => bugItem.parse(item));
      return new Map(bugs.map((bug) => [bug.id, bug]));
    },
  };
}

/**
 * A bug that was looked up, if the caller may see it.
 *
 * @param given as the client named it
 * @param id what BugStore.idOf made of it
 * @throws errors.bugAliasUnknown (400, 100), errors.bugUnknown (404, 101), errors.bugAccessDenied (401, 102); REFERENCE.md 5
 */
export function requireVisible(
  given: string,
  id: number | undefined,
  bug: BugItem | undefined,
  caller: Caller,
): BugItem {
  if (id === undefined) throw errors.bugAliasUnknown(given);
  if (bug === undefined) throw errors.bugUnknown(given);
  if (!isVisible(bug, caller)) throw errors.bugAccessDenied(given);
  return bug;
}
