import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTable } from '../../infra/local/database/database.ts';
import { startDynamoDbLocal } from '../../infra/local/database/dynamodb-local.ts';
import { LOCAL_CREDENTIALS } from '../../infra/local-credentials.ts';
import { openTable } from '../../lib/table/client.ts';
import { type DatabaseServer, startMariadb } from '../support/database-servers.ts';
import { paramsOf, recordedFile } from '../support/recorded-databases.ts';
import { printTable, rounded } from './print.ts';

const DEFAULT_BUGS = 50_000;
const COMMENTS_A_BUG = 10;
const MAIN = join(import.meta.dirname, '../../infra/admin/main.ts');

/** Ids of the recorded bugs are below this. */
const BUG_STEP = 2_000;
const RECORDED_BUGS = 220;

/** The tables that are multiplied with the bugs, by how much each column advances with each copy. */
const TABLES: Record<string, Record<string, number>> = {
  bugs: { bug_id: BUG_STEP },
  cc: { bug_id: BUG_STEP },
  bug_group_map: { bug_id: BUG_STEP },
  keywords: { bug_id: BUG_STEP },
  bugs_activity: { id: 1_000, bug_id: BUG_STEP },
  longdescs: { comment_id: 1_000, bug_id: BUG_STEP },
};

/** The statements that make a large Bugzilla of the recorded one. */
function multiplied(bugs: number): string {
  const copies = Math.ceil(bugs / RECORDED_BUGS) - 1;
  const statements = Object.entries(TABLES).map(([table, steps]) => copyOf(table, steps, copies, ''));
  const [first, further] = [1_000 * (copies + 1), Math.ceil((COMMENTS_A_BUG * RECORDED_BUGS) / 830) - 1];
  for (let round = 1; round <= further; round += 1) {
    const steps = { comment_id: 0, bug_id: 0 };
    const where = `WHERE type = 0 AND comment_id < ${first}`;
    statements.push(copyOf('longdescs', steps, 1, where, { comment_id: round * first }));
  }
  return `SET foreign_key_checks = 0, unique_checks = 0;\n${statements.join('\n')}`;
}

function copyOf(
  table: string,
  steps: Record<string, number>,
  copies: number,
  where: string,
  offsets: Record<string, number> = {},
): string {
  const columns = Object.keys(steps).map(
    (name) => `${name} = ${name} + s.seq * ${steps[name]} + ${offsets[name] ?? 0}`,
  );
  const set = columns.join(', ');
  return `CREATE TEMPORARY TABLE copies AS SELECT t.*, s.seq FROM ${table} t, seq_1_to_${copies} s ${where};
UPDATE copies s SET ${set};
ALTER TABLE copies DROP COLUMN seq;
INSERT INTO ${table} SELECT * FROM copies;
DROP TEMPORARY TABLE copies;`;
}

/** An import from MariaDB: seconds of reading and of the rest, and memory. `--to` is the number of bugs, each with ten comments. */
export async function importing(bugs = DEFAULT_BUGS): Promise<void> {
  Object.assign(process.env, LOCAL_CREDENTIALS);
  const server = await startMariadb();
  server.load('bugs', recordedFile('A.sql'));
  server.load('bugs', multiplied(bugs));
  const database = await startDynamoDbLocal(undefined, undefined, { isLongRunning: true });
  const folder = await mkdtemp(join(tmpdir(), 'bugless-'));
  await createTable(openTable('import', database.endpoint, { requestTimeoutMs: 10_000 }));
  const rows = [];
  for (const options of [[], []]) rows.push(await run(server, database.endpoint, folder, options));
  printTable(`Import of ${bugs} bugs from MariaDB, and again`, rows);
  await server.stop();
  await database.stop();
  await rm(folder, { recursive: true });
}

async function run(server: DatabaseServer, endpoint: string, folder: string, options: string[]) {
  const started = performance.now();
  const file = join(folder, 'import.ndjson');
  const args = [
    'import',
    server.address('bugs'),
    '--params',
    paramsOf('A'),
    '--timezone',
    'UTC',
    '--keep',
    file,
  ];
  const child = spawn(process.execPath, [MAIN, ...args, ...options], {
    cwd: folder,
    env: { ...process.env, TABLE_NAME: 'import', DYNAMODB_ENDPOINT: endpoint },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let [memory, readAt] = [0, 0];
  child.stderr.on('data', (text: Buffer) => {
    process.stderr.write(text);
    if (readAt === 0 && text.includes('read')) readAt = performance.now();
  });
  const timer = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    memory = Math.max(memory, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024);
  }, 200);
  const [code] = await once(child, 'close');
  clearInterval(timer);
  return {
    'seconds of reading': rounded((readAt - started) / 1_000),
    'seconds in all': rounded((performance.now() - started) / 1_000),
    'memory in MB': rounded(memory),
    'exit code': code,
  };
}
