import { withIds } from '../../lib/bugs/change/drafts.ts';
import { changesOf } from '../../lib/bugs/change/past-values.ts';
import { type BugReturn, takeBack } from '../../lib/bugs/change/take-back.ts';
import type { FieldChange } from '../../lib/bugs/schema.ts';
import { type EventRepositories, eventRepositories } from '../../lib/changes/events/change.ts';
import { readPastChanges } from '../../lib/changes/events/found-changes.ts';
import { changedBugs } from '../../lib/changes/events/replay.ts';
import { BugzillaError } from '../../lib/errors.ts';
import type { User } from '../../lib/people/caller.ts';
import type { Table } from '../../lib/table/client.ts';
import { retryStale } from '../../lib/table/retry.ts';

/** Whose changes are taken back, by whom. */
export interface Undo {
  /** login */
  by: string;
  /** `YYYY-MM-DDThh:mm:ssZ`, included */
  since: string;
  operator: User;
  /** whether it is done, not only shown */
  isApplied: boolean;
  /** bugs that are changed, or shown, at most */
  max: number;
}

/** What is taken back of a bug. */
export interface UndoneBug {
  id: number;
  changes: readonly FieldChange[];
  left: { field: string; why: string }[];
}

/** What is told while it runs. */
interface UndoReport {
  found(bug: UndoneBug): void;
  read(bugs: number): void;
}

/**
 * Takes back what somebody changed of bugs since a time, bug by bug. What an interrupted call left, the same call continues: what has the
 * former value already stays.
 *
 * @returns whether there are more than `max`
 */
export async function undoChanges(table: Table, undo: Undo, report: UndoReport): Promise<boolean> {
  const sources = eventRepositories(table, table.now);
  let [read, found] = [0, 0];
  for await (const id of changedBugs(sources, undo.since)) {
    read += 1;
    report.read(read);
    if (found >= undo.max) {
      const { changes } = await computed(id, undo, sources);
      if (changes.length > 0) return true;
      continue;
    }
    const bug = await undoneBug(id, undo, sources);
    if (bug === undefined) continue;
    if (bug.changes.length > 0) found += 1;
    report.found(bug);
  }
  return false;
}

/** Takes back the changes of a bug; undefined: there are none. */
async function undoneBug(id: number, undo: Undo, sources: EventRepositories): Promise<UndoneBug | undefined> {
  try {
    const { changes, left } = await retryStale(sources.table.retryTimeoutMs, 'the bug', async () => {
      const computedReturn = await computed(id, undo, sources);
      if (undo.isApplied && computedReturn.changes.length > 0) {
        await sources.bugs.write(undo.operator, await withIds(computedReturn.changes, sources));
      }
      return computedReturn;
    });
    const own = changes.find(({ after }) => after.id === id)?.history ?? [];
    return own.length + left.length === 0 ? undefined : { id, changes: own, left };
  } catch (error) {
    if (!(error instanceof BugzillaError)) throw error;
    return { id, changes: [], left: [{ field: 'all', why: error.message }] };
  }
}

async function computed(
  id: number,
  { by, since, operator }: Undo,
  sources: EventRepositories,
): Promise<BugReturn> {
  const past = await readPastChanges(id, since, sources);
  // Most bugs were changed by others only.
  const bug = past.some(changesOf(by)) ? await sources.bugs.byId(id) : undefined;
  if (bug === undefined) return { changes: [], left: [] };
  return takeBack(bug, past, by, operator, sources);
}
