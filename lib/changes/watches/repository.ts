import { portions } from '../../base/collections.ts';
import { errors } from '../../errors.ts';
import type { Table } from '../../table/client.ts';
import { keyText, watchersKey, watchesKey } from '../../table/keys.ts';
import { readItem, readItems } from '../../table/read.ts';
import { type Action, revisedAction, transactWriteRetrying } from '../../table/write.ts';
import {
  MAX_WATCHERS,
  type Watched,
  type WatchedTarget,
  type WatchersItem,
  type WatchesItem,
  watchersItem,
  watchesItem,
} from './schema.ts';

/** What is watched, as one text. */
export const targetName = (target: WatchedTarget): string => keyText(watchersKey(target));

/** Changes of what a user watches that one transaction writes: each changes an item that others change, too. */
const MAX_CHANGES_A_TRANSACTION = 25;

export type WatchRepository = ReturnType<typeof watchRepository>;

/** Reads and writes what users watch, and who watches something. */
export function watchRepository(table: Table) {
  /** Who watches something, by targetName; what has never been watched is left out. */
  async function watchersOf(targets: readonly WatchedTarget[]): Promise<Map<string, WatchersItem>> {
    const found = await readItems(table, targets.map(watchersKey), watchersItem);
    return new Map(found.map((one) => [targetName(one), one]));
  }

  /** The actions that say of what is not watched any more, and of what is, who watches it. */
  async function watchersActions(user: number, changes: readonly Change[]): Promise<Action[]> {
    const stored = await watchersOf(changes.map(({ target }) => target));
    return changes.flatMap(({ target, isAdded }) => {
      const found = stored.get(targetName(target));
      const user_ids = found?.user_ids ?? [];
      if (user_ids.includes(user) === isAdded) return [];
      const next = isAdded ? [...user_ids, user] : user_ids.filter((id) => id !== user);
      if (isAdded && next.length > MAX_WATCHERS)
        throw errors.requestTooLarge(`at most ${MAX_WATCHERS} users watch one user, product or component`);
      const { kind, id } = target;
      return [revisedAction(watchersKey(target), found?.revision ?? 0, { kind, id, user_ids: next })];
    });
  }

  return {
    watchersOf,

    /** What a user watches, with revision 0 where nothing was watched yet. */
    async of(user_id: number): Promise<WatchesItem> {
      const stored = await readItem(table, watchesKey(user_id), watchesItem);
      return stored ?? { user_id, watched: [], revision: 0 };
    },

    /**
     * Writes what a user watches, and of each change, in the same transaction, who watches it. Many changes take several
     * transactions: the same call completes an interrupted one.
     *
     * @param existing as it was read
     * @throws ConditionFailed when something was written since it was read
     */
    async write(existing: WatchesItem, desired: readonly Watched[]): Promise<void> {
      const { user_id } = existing;
      let { revision } = existing;
      const current = new Map(existing.watched.map((one) => [targetName(one), one]));
      for (const changes of portions(changesOf(existing.watched, desired), {
        max: MAX_CHANGES_A_TRANSACTION,
      })) {
        for (const { target, isAdded } of changes) {
          if (isAdded) current.set(targetName(target), target);
          else current.delete(targetName(target));
        }
        await transactWriteRetrying(table, [
          revisedAction(watchesKey(user_id), revision, { user_id, watched: [...current.values()] }),
          ...(await watchersActions(user_id, changes)),
        ]);
        revision += 1;
      }
    },
  };
}

interface Change {
  target: Watched;
  isAdded: boolean;
}

/** What is not watched any more, then what is watched from now on. */
function changesOf(before: readonly Watched[], after: readonly Watched[]): Change[] {
  const [old, next] = [before, after].map((all) => new Map(all.map((one) => [targetName(one), one])));
  return [
    ...before.flatMap((target) => (next?.has(targetName(target)) ? [] : [{ target, isAdded: false }])),
    ...[...(next ?? [])].flatMap(([name, target]) => (old?.has(name) ? [] : [{ target, isAdded: true }])),
  ];
}
