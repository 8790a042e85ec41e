import type { Clock } from './clock.ts';
import type { Database } from './database.ts';
import type { ProblemList } from './problems.ts';

/** What is read, and by which clock. */
export interface Source {
  database: Database;
  clock: Clock;
  problems: ProblemList;
  /** where Bugzilla keeps large attachments in files; undefined: not given */
  attachments: string | undefined;
}

/** The least id of what Bugzilla does not have, and is added: the same in each run, and none that Bugzilla gives meanwhile. */
export const ADDED_ID = 1_000_000_000;
