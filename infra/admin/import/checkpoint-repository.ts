import { PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { importCheckpointKey } from '../../../lib/dynamodb/keys.ts';
import { readItems } from '../../../lib/dynamodb/read.ts';
import { type Finding, findingKinds } from './problems.ts';

export const checkpointItem = z.object({
  bug_id: z.int(),
  /** the URL of the Bugzilla */
  source: z.string(),
  /** of the bug in Bugzilla, when it was copied whole */
  last_change_time: z.string(),
  findings: z.array(z.object({ kind: z.enum(findingKinds), where: z.string(), why: z.string() })),
});

/** Remembers that a bug was copied whole, as it was at a time, and what could not be copied of it. */
export interface Mark {
  source: string;
  last_change_time: string;
  findings: Finding[];
}

/** What is remembered of these bugs, by id. */
export async function readCheckpoints(table: Table, bugs: number[]): Promise<Map<number, Mark>> {
  const marks = (await readItems(table, bugs.map(importCheckpointKey))).map((item) =>
    checkpointItem.parse(item),
  );
  return new Map(marks.map(({ bug_id, ...mark }) => [bug_id, mark]));
}

/** Remembers that a bug was copied. */
export async function writeCheckpoint(table: Table, bug: number, mark: Mark): Promise<void> {
  const Item = { ...importCheckpointKey(bug), bug_id: bug, ...mark };
  await table.client.send(new PutCommand({ TableName: table.name, Item }));
}
