import * as z from 'zod/mini';
import { mapConcurrent } from '../../base/collections.ts';
import { errors } from '../../errors.ts';
import { type Caller, isCaller, requireUser, type User } from '../../people/caller.ts';
import type { Table } from '../../table/client.ts';
import { lastVisitKey, lastVisitPartition } from '../../table/keys.ts';
import { readItems, readPages } from '../../table/read.ts';
import { deleteItem, putItem } from '../../table/write.ts';
import type { BugItem } from '../schema.ts';

/** When a user last visited a bug, as clients report it. */
export const lastVisitItem = z.object({
  user_id: z.int(),
  bug_id: z.int(),
  /** `YYYY-MM-DDThh:mm:ssZ` */
  last_visit_ts: z.string(),
});
type LastVisit = z.infer<typeof lastVisitItem>;

export type LastVisitRepository = ReturnType<typeof lastVisitRepository>;

/** Reads and writes when users visited bugs. */
export const lastVisitRepository = (table: Table) => ({
  /** The visits of a user to some bugs; bugs without one are left out. */
  read: (user: number, bugs: readonly number[]): Promise<LastVisit[]> =>
    readItems(
      table,
      [...new Set(bugs)].map((bug) => lastVisitKey(user, bug)),
      lastVisitItem,
    ),

  /** All visits of a user. */
  all: (user: number): AsyncGenerator<LastVisit[]> =>
    readPages(table, { pk: lastVisitPartition(user) }, lastVisitItem),

  /** Writes visits. */
  async put(visits: readonly LastVisit[]): Promise<void> {
    await mapConcurrent(visits, (visit) =>
      putItem(table, { ...lastVisitKey(visit.user_id, visit.bug_id), ...visit }),
    );
  },

  /** Removes visits of a user. */
  async remove(user: number, bugs: readonly number[]): Promise<void> {
    await mapConcurrent(bugs, (bug) => deleteItem(table, lastVisitKey(user, bug)));
  },
});

/** The caller, who is the reporter, assignee or QA contact of each of the bugs, or on CC. */
export function requireInvolved(bugs: readonly BugItem[], caller: Caller): User {
  for (const { id, reporter, assigned_to, qa_contact, cc } of bugs) {
    const isInvolved = [reporter, assigned_to, qa_contact, ...cc].some((login) => isCaller(caller, login));
    if (!isInvolved) throw errors.userNotInvolved(id);
  }
  return requireUser(caller);
}
