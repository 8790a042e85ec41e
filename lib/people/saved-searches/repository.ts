import { isDeepStrictEqual } from 'node:util';
import { errors } from '../../errors.ts';
import type { Table } from '../../table/client.ts';
import { type IdempotencyRecord, idempotencyActions } from '../../table/idempotency.ts';
import { savedSearchesKey, sharersKey } from '../../table/keys.ts';
import { readItem, readItems } from '../../table/read.ts';
import { type Action, asRead, revisedAction, transactWriteRetrying } from '../../table/write.ts';
import { type SavedSearch, type SavedSearchesItem, savedSearchesItem, sharersItem } from './validation.ts';

/** Users who share searches with a group: their items are read together. */
const MAX_SHARERS = 200;

/** The searches of a user to be written. */
export interface SearchesWrite {
  /** as it was read; revision 0: there was none */
  existing: SavedSearchesItem;
  desired: Pick<SavedSearchesItem, 'searches' | 'last_id'>;
  /** whether the item is removed, because the user is one with another */
  isRemoved?: boolean;
}

export type SavedSearchRepository = ReturnType<typeof savedSearchRepository>;

/** Reads and writes the saved searches of users, and who shares some with a group. */
export const savedSearchRepository = (table: Table) => ({
  /** The searches of a user, with revision 0 where none was saved yet. */
  async of(user_id: number): Promise<SavedSearchesItem> {
    const stored = await readItem(table, savedSearchesKey(user_id), savedSearchesItem);
    return stored ?? { user_id, searches: [], last_id: 0, revision: 0 };
  },

  /** The searches of users; of those without, nothing. */
  ofAll: (users: readonly number[]): Promise<SavedSearchesItem[]> =>
    readItems(table, users.map(savedSearchesKey), savedSearchesItem),

  /** The ids of the users who share searches with groups. */
  async sharersWith(groups: readonly number[]): Promise<Set<number>> {
    const found = await readItems(table, groups.map(sharersKey), sharersItem);
    return new Set(found.flatMap(({ user_ids }) => user_ids));
  },

  /**
   * Writes the searches of users, with what says who shares some, in one transaction.
   *
   * @param record of the request, to be stored with them
   * @throws ConditionFailed when something was written since it was read
   */
  async write(writes: readonly SearchesWrite[], record?: IdempotencyRecord): Promise<void> {
    const actions = [
      ...writes.map(searchesAction),
      ...(await sharersActions(table, writes)),
      ...idempotencyActions(record, table.now()),
    ];
    await transactWriteRetrying(table, actions);
  },
});

function searchesAction({ existing, desired, isRemoved = false }: SearchesWrite): Action {
  const { user_id, revision } = existing;
  const key = savedSearchesKey(user_id);
  if (isRemoved) return { remove: key, ...asRead({ revision: revision === 0 ? undefined : revision }) };
  return revisedAction(key, revision, { user_id, searches: desired.searches, last_id: desired.last_id });
}

const groupsOf = (searches: readonly SavedSearch[]): Set<number> =>
  new Set(searches.flatMap(({ group_id }) => group_id ?? []));

/** The actions that say of groups who shares searches with them. */
async function sharersActions(table: Table, writes: readonly SearchesWrite[]): Promise<Action[]> {
  const changes = writes.flatMap(({ existing, desired }) => {
    const [before, after] = [existing.searches, desired.searches].map(groupsOf);
    const user = existing.user_id;
    return [
      ...[...(before ?? [])].filter((id) => !after?.has(id)).map((id) => ({ id, user, isSharing: false })),
      ...[...(after ?? [])].filter((id) => !before?.has(id)).map((id) => ({ id, user, isSharing: true })),
    ];
  });
  const byGroup = Map.groupBy(changes, ({ id }) => id);
  const stored = await readItems(table, [...byGroup.keys()].map(sharersKey), sharersItem);
  return [...byGroup].flatMap(([group_id, ofGroup]) => {
    const existing = stored.find((one) => one.group_id === group_id);
    const { user_ids: before, revision } = existing ?? { user_ids: [], revision: 0 };
    const leaving = new Set(ofGroup.filter(({ isSharing }) => !isSharing).map(({ user }) => user));
    const joining = ofGroup.filter(({ isSharing }) => isSharing).map(({ user }) => user);
    const user_ids = [...new Set([...before.filter((id) => !leaving.has(id)), ...joining])];
    if (isDeepStrictEqual(before, user_ids)) return [];
    if (user_ids.length > Math.max(before.length, MAX_SHARERS)) {
      throw errors.requestTooLarge(`at most ${MAX_SHARERS} users share searches with a group`);
    }
    return [revisedAction(sharersKey(group_id), revision, { group_id, user_ids })];
  });
}
