import { PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { importCheckpointKey } from '../../../lib/dynamodb/keys.ts';
import { readItems } from '../../../lib/dynamodb/read.ts';
import { type Problem, problemKinds } from './problems.ts';

export const checkpointItem = z.object({
  bug_id: z.int(),
  /** the URL of the Bugzilla */
  source: z.string(),
  /** of the bug in Bugzilla, when it was copied completely */
  last_change_time: z.string(),
  problems: z.array(z.object({ kind: z.enum(problemKinds), where: z.string(), why: z.string() })),
});

/** Says that a bug was copied completely in its state of `last_change_time`, but for its problems. */
export interface Checkpoint {
  source: string;
  last_change_time: string;
  problems: Problem[];
}

/** The checkpoints of bugs, by bug id. */
export async function readCheckpoints(table: Table, bugs: number[]): Promise<Map<number, Checkpoint>> {
  const checkpoints = await readItems(table, bugs.map(importCheckpointKey), checkpointItem);
  return new Map(checkpoints.map(({ bug_id, ...checkpoint }) => [bug_id, checkpoint]));
}

/** Bounds the item. */
const MAX_PROBLEMS = 100;

/** Writes the checkpoint of a bug, with its first 100 problems. */
export async function writeCheckpoint(table: Table, bug: number, checkpoint: Checkpoint): Promise<void> {
  const problems = checkpoint.problems.slice(0, MAX_PROBLEMS);
  const Item = { ...importCheckpointKey(bug), bug_id: bug, ...checkpoint, problems };
  await table.client.send(new PutCommand({ TableName: table.name, Item }));
}
