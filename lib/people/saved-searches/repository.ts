import { isDeepStrictEqual } from 'node:util';
import { errors } from '../../errors.ts';
import type { Table } from '../../table/client.ts';
import { type IdempotencyRecord, idempotencyActions } from '../../table/idempotency.ts';
import { type Key, savedSearchesKey, sharersKey } from '../../table/keys.ts';
import { readItem, readItems } from '../../table/read.ts';
import { ABSENT, type Action, setAction, transactWriteRetrying } from '../../table/write.ts';
import {
  type SavedSearch,
  type SavedSearchesItem,
  type SharersItem,
  savedSearchesItem,
  sharersItem,
} from './validation.ts';

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
  const key = savedSearchesKey(existing.user_id);
  if (isRemoved) return { remove: key, ...atRevision(existing.revision) };
  const { searches, last_id } = desired;
  return writeAction(key, existing.revision, { user_id: existing.user_id, searches, last_id });
}

/** The condition that an item with revisions is as it was read. */
const atRevision = (revision: number) => ({
  condition: revision === 0 ? ABSENT : 'revision = :read',
  values: revision === 0 ? {} : { ':read': revision },
});

const writeAction = (key: Key, revision: number, content: object): Action =>
  revision === 0
    ? { put: { ...key, ...content, revision: 1 }, condition: ABSENT }
    : setAction(key, { ...content, revision: revision + 1 }, atRevision(revision));

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
    const existing = stored.find((one) => one.group_id === group_id) ?? {
      group_id,
      user_ids: [],
      revision: 0,
    };
    const leaving = new Set(ofGroup.filter(({ isSharing }) => !isSharing).map(({ user }) => user));
    const joining = ofGroup.filter(({ isSharing }) => isSharing).map(({ user }) => user);
    return sharersAction(existing, [
      ...new Set([...existing.user_ids.filter((id) => !leaving.has(id)), ...joining]),
    ]);
  });
}

function sharersAction({ group_id, user_ids: before, revision }: SharersItem, user_ids: number[]): Action[] {
  if (isDeepStrictEqual(before, user_ids)) return [];
  if (user_ids.length > Math.max(before.length, MAX_SHARERS)) {
    throw errors.requestTooLarge(`at most ${MAX_SHARERS} users share searches with a group`);
  }
  return [writeAction(sharersKey(group_id), revision, { group_id, user_ids })];
}
