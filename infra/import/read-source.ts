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
