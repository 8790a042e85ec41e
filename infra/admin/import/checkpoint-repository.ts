import * as z from 'zod';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { importCheckpointKey } from '../../../lib/dynamodb/keys.ts';
import { readItems } from '../../../lib/dynamodb/read.ts';
import { batchWrite } from '../../../lib/dynamodb/write.ts';
import type { BugCopy } from './copy-bug.ts';
import { problemKinds } from './problems.ts';

export const checkpointItem = z.object({
  bug_id: z.int(),
  /** the URL of the Bugzilla */
  source: z.string(),
  /** of the bug in Bugzilla, when it was copied completely */
  last_change_time: z.string(),
  problems: z.array(z.object({ kind: z.enum(problemKinds), where: z.string(), why: z.string() })),
});

/** Says that a bug was copied completely in its state of `last_change_time`, but for its problems. */
type CheckpointItem = z.infer<typeof checkpointItem>;

/** The checkpoints of bugs, by bug id. */
export async function readCheckpoints(table: Table, bugs: number[]): Promise<Map<number, CheckpointItem>> {
  const checkpoints = await readItems(table, bugs.map(importCheckpointKey), checkpointItem);
  return new Map(checkpoints.map((checkpoint) => [checkpoint.bug_id, checkpoint]));
}

/** Bounds the item. */
const MAX_PROBLEMS = 100;

/** Writes the checkpoints of bugs, each with its first 100 problems. */
export const writeCheckpoints = (table: Table, source: string, copies: readonly BugCopy[]): Promise<void> =>
  batchWrite(
    table,
    copies.map(({ id, last_change_time, problems }) => ({
      ...importCheckpointKey(id),
      bug_id: id,
      source,
      last_change_time,
      problems: problems.slice(0, MAX_PROBLEMS),
    })),
  );
