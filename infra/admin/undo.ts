import { withIds } from '../../lib/bugs/change/drafts.ts';
import { changesOf, type LeftField } from '../../lib/bugs/change/past-values.ts';
import { takeBack } from '../../lib/bugs/change/take-back.ts';
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
  left: LeftField[];
}

/**
 * Takes back what somebody changed of bugs since a time, bug by bug. What an interrupted call left, the same call continues: what has the
 * former value already stays.
 *
 * @param report is told each bug with such changes, and how many bugs were read
 * @returns whether there are more than `max`
 */
export async function undoChanges(
  table: Table,
  undo: Undo,
  report: { found(bug: UndoneBug): void; read(bugs: number): void },
): Promise<boolean> {
  const sources = eventRepositories(table, table.now);
  let [read, found] = [0, 0];
  for await (const id of changedBugs(sources, undo.since)) {
    report.read(++read);
    const isMore = found >= undo.max;
    const bug = await undoneBug(id, { ...undo, isApplied: undo.isApplied && !isMore }, sources);
    const isFound = bug.changes.length > 0;
    if (isMore && isFound) return true;
    if (isFound) found += 1;
    if (!isMore && bug.changes.length + bug.left.length > 0) report.found(bug);
  }
  return false;
}

/** Takes back the changes of a bug. */
async function undoneBug(
  id: number,
  { by, since, operator, isApplied }: Undo,
  sources: EventRepositories,
): Promise<UndoneBug> {
  try {
    return await retryStale(sources.table.retryTimeoutMs, 'the bug', async () => {
      const past = await readPastChanges(id, since, sources);
      // Most bugs were changed by others only.
      const bug = past.some(changesOf(by)) ? await sources.bugs.byId(id) : undefined;
      if (bug === undefined) return { id, changes: [], left: [] };
      const { changes, left } = await takeBack(bug, past, by, operator, sources);
      if (isApplied && changes.length > 0)
        await sources.bugs.write(operator, await withIds(changes, sources));
      return { id, changes: changes.find(({ after }) => after.id === id)?.history ?? [], left };
    });
  } catch (error) {
    if (!(error instanceof BugzillaError)) throw error;
    return { id, changes: [], left: [{ field: 'all', why: error.message }] };
  }
}
