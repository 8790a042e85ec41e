import { mapConcurrent } from '../../base/collections.ts';
import { bugOfChange, changeLogItem } from '../../bugs/change-log/change-log.ts';
import type { IndexedBug } from '../../bugs/change-log/indexed-bug.ts';
import type { Table } from '../../table/client.ts';
import { withoutBound } from '../../table/consumption.ts';
import { bugOfChangeKey, changedPartitions, changedRange } from '../../table/keys.ts';
import type { Pacer } from '../../table/pacer.ts';
import { readPages, withKey } from '../../table/read.ts';
import { beforeDeadline } from '../../table/retry.ts';
import { beginShared, late } from './shared-work.ts';
import { isNews, note, type State } from './state.ts';

/** Entries of the change log that are read before what they say is written to segments. */
const MAX_ENTRIES_READ = 20_000;

const keyedChange = withKey(changeLogItem);

/** Reads bugs at the pace of the index. */
export type ReadIndexed = (ids: readonly number[], onRead: (bugs: IndexedBug[]) => void) => Promise<void>;

/**
 * Reads what the change log has since a state was current.
 *
 * @param pace of all reads of the index
 */
export function changeReader(table: Table, readBugs: ReadIndexed, pace: Pacer) {
  let readingBugs: Promise<void> | undefined;

  /**
   * Reads what changed since a state was current. What was read before an error is kept.
   *
   * @param until no earlier entry is written any more
   * @returns false: there is more
   */
  async function catchUp(state: State, until: string): Promise<boolean> {
    const areRead = await withoutBound(() =>
      mapConcurrent(changedPartitions, (_, shard) => readChanges(state, shard, until)),
    );
    await readUnread(state);
    return areRead.every((isRead) => isRead);
  }

  /** Reads the bugs whose entries do not say enough, also those that other searches find meanwhile; what is read is kept. */
  async function readUnread(state: State): Promise<void> {
    while (state.unread.size > 0) {
      readingBugs ??= beginShared(table.retryTimeoutMs, () => readSomeUnread(state)).finally(() => {
        readingBugs = undefined;
      });
      await beforeDeadline(readingBugs, late);
    }
  }

  async function readSomeUnread(state: State): Promise<void> {
    const unread = new Map(state.unread);
    const isRead = (id: number) => {
      if (state.unread.get(id) === unread.get(id)) state.unread.delete(id);
    };
    const news = [...unread].filter(([id, count]) => isNews(state, id, count)).map(([id]) => id);
    await readBugs(news, (read) => {
      for (const bug of read) {
        note(state, bug);
        state.readUnits += bug.units ?? 0;
        isRead(bug.id);
      }
    });
    // Some are known meanwhile, or do not exist.
    for (const id of unread.keys()) isRead(id);
  }

  /** @returns false: there is more */
  async function readChanges(state: State, shard: number, until: string): Promise<boolean> {
    const advance = (sortKey: string) => {
      if (sortKey > (state.since[shard] ?? '')) state.since[shard] = sortKey;
    };
    const range = { pk: changedPartitions[shard] ?? '', ...changedRange(state.since[shard] ?? '') };
    let count = 0;
    for await (const page of readPages(table, range, keyedChange, { pacer: pace })) {
      for (const item of page) {
        const id = bugOfChangeKey(item);
        const { change_count = Number.POSITIVE_INFINITY } = item;
        if (!isNews(state, id, change_count)) continue;
        const bug = bugOfChange(id, item);
        // The entry that superseded this one may follow.
        if (bug === undefined) state.unread.set(id, Math.max(change_count, state.unread.get(id) ?? 0));
        else note(state, bug);
      }
      const last = page.at(-1);
      if (last === undefined) continue;
      advance(last.sk < until ? last.sk : until);
      count += page.length;
      // What may be followed by earlier entries is read to its end.
      if (count > MAX_ENTRIES_READ / changedPartitions.length && last.sk < until) return false;
    }
    advance(until);
    return true;
  }

  return { catchUp, readUnread };
}
