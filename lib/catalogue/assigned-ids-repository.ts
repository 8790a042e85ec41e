import * as z from 'zod/mini';
import type { Table } from '../table/client.ts';
import { allocateIds } from '../table/counters.ts';
import { ConditionFailed } from '../table/errors.ts';
import { assignedIdsKey } from '../table/keys.ts';
import { readItem } from '../table/read.ts';
import { ABSENT, putItem } from '../table/write.ts';
import type { CatalogueBug } from './schema.ts';

/**
 * The first ids of the bugs and comments of a file that have none there, in its order. They are stored before anything
 * is written (idempotency), so that a run of the same file that is repeated, or at the same time, uses them too.
 */
export const assignedIds = z.object({ bug: z.int(), comment: z.int() });
export type AssignedIds = z.infer<typeof assignedIds>;

/** What has no ids in a file. */
export interface MissingIds {
  bugs: number;
  comments: number;
  /** of the bugs that lack any */
  hash: string;
}

export const commentsWithoutId = ({ comments }: CatalogueBug): number =>
  comments.filter(({ id }) => id === undefined).length;

/** The ids that an earlier run has assigned. */
export const readAssignedIds = async (
  table: Table,
  { bugs, comments, hash }: MissingIds,
): Promise<AssignedIds | undefined> =>
  bugs + comments === 0 ? undefined : readItem(table, assignedIdsKey(hash), assignedIds);

/** Assigns ids, unless another run has done so meanwhile. */
export async function assignIds(table: Table, missing: MissingIds): Promise<AssignedIds> {
  const first = {
    bug: missing.bugs === 0 ? 0 : await allocateIds(table, 'bug', missing.bugs),
    comment: missing.comments === 0 ? 0 : await allocateIds(table, 'comment', missing.comments),
  };
  const key = assignedIdsKey(missing.hash);
  await putItem(table, { ...key, ...first }, { condition: ABSENT }).catch((error: unknown) => {
    if (!(error instanceof ConditionFailed)) throw error;
  });
  return (await readItem(table, key, assignedIds)) ?? first;
}

/** Gives entries, in the order of the file, the ids that their bugs and comments get when they are new. */
export function withAssignedIds(first: AssignedIds | undefined) {
  const next = { bug: 0, comment: 0, ...first };
  return <T extends { given: CatalogueBug }>(entry: T): T & { assigned?: AssignedIds } => {
    if (first === undefined) return entry;
    const assigned = { ...next };
    if (entry.given.id === undefined) next.bug += 1;
    next.comment += commentsWithoutId(entry.given);
    return { ...entry, assigned };
  };
}
