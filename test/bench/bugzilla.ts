import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseCatalogue } from '../../lib/catalogue/read.ts';
import { paramsOf, recordedFile } from '../support/recorded-databases.ts';
import { openGround, openHandlers, PROJECT } from './environment.ts';
import { printTable, rounded } from './print.ts';

/** Of an administrator in the recorded database A. */
const KEY = 'fixtureAdminKey0000000000000000000000001';
const DEFAULT_REQUESTS = 300;
/** Of each kind, before the first is measured: V8 compiles the code meanwhile. */
const WARM_UP = 300;
/** A version of the product index, and what was logged of the catalogue, are read again for a while. */
const SETTLED_MS = 45_000;

const ROWS: readonly (readonly [name: string, target: string])[] = [
  ['search for tags', '/rest/bug/comment/tags/tag'],
  ['50 hits, their ids', '/rest/bug?limit=50&include_fields=id&order=bug_id'],
  ['50 hits with summaries', '/rest/bug?limit=50&include_fields=id,summary,status&order=bug_id'],
  ['50 hits, whole bugs', '/rest/bug?limit=50&order=bug_id'],
  ['quicksearch, ids', '/rest/bug?quicksearch=crash&include_fields=id'],
  ['quicksearch, whole bugs', '/rest/bug?quicksearch=crash'],
  ['bug by id', '/rest/bug/1'],
  ['comments of a bug', '/rest/bug/1/comment'],
  ['product by id', '/rest/product/2'],
  ['version', '/rest/version'],
];

/** The processes of a Bugzilla on this machine, of its database, and of the tests' database, by their command lines. */
const BUGZILLA = /apache2|httpd|\/rest\./;
const ITS_DATABASE = /mariadbd|mysqld/;
const LOCAL_DATABASE = /DynamoDBLocal\.jar|dynoxide/;

/** The kernel counts in hundredths of a second. */
const TICK_MS = 10;

/** Milliseconds of processor time that processes have taken, with those of ended children. */
function processorTime(commandLine: RegExp): number {
  const ticks = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        if (!commandLine.test(command)) return 0;
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        // The name of the program may have blanks; utime, stime, cutime and cstime follow.
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      } catch {
        // It has ended.
        return 0;
      }
    });
  return TICK_MS * ticks.reduce((sum, one) => sum + one, 0);
}

const ownTime = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** A table with what the recorded database A has, imported by another process, as that of an operator is. */
async function importedGround() {
  const ground = await openGround(parseCatalogue({}));
  const folder = mkdtempSync(join(tmpdir(), 'bugless-bench-'));
  try {
    const database = join(folder, 'A.sqlite');
    writeFileSync(database, recordedFile('A.sqlite'));
    const given = ['import', `sqlite:${database}`, '--params', paramsOf('A'), '--timezone', 'UTC'];
    const command = ['infra/run.js', 'infra/admin/main.ts', ...given, '--keep', join(folder, 'kept.ndjson')];
    const env = { ...process.env, TABLE_NAME: ground.table.name, DYNAMODB_ENDPOINT: ground.endpoint };
    await promisify(execFile)(process.execPath, command, { cwd: PROJECT, env });
  } finally {
    rmSync(folder, { recursive: true });
  }
  return ground;
}

/**
 * Prints the processor time of requests to Bugless, and to a Bugzilla 5.2 on this machine with the same data: of each by itself and
 * of its database.
 *
 * @param requests of each kind
 * @param beside address of the Bugzilla
 */
export async function bugzilla(requests = DEFAULT_REQUESTS, beside?: string): Promise<void> {
  if (beside === undefined)
    throw new Error(
      'bugzilla: --beside URL names a Bugzilla 5.2 on this machine with the recorded database A',
    );
  const ground = await importedGround();
  const { invoke } = await openHandlers(ground.table.name, ground.endpoint);
  const here = async (target: string) => (await invoke({ method: 'GET', target, key: KEY })).statusCode;
  const there = async (target: string) => {
    const separator = target.includes('?') ? '&' : '?';
    const response = await fetch(`${beside}${target}${separator}Bugzilla_api_key=${KEY}`);
    await response.text();
    return response.status;
  };
  /** The milliseconds that each measure says of one request. */
  const measure = async (
    send: (target: string) => Promise<number>,
    target: string,
    measures: readonly (() => number)[],
  ) => {
    const status = await send(target);
    if (status !== 200) throw new Error(`${target}: ${status}`);
    const before = measures.map((one) => one());
    for (let n = 0; n < requests; n += 1) await send(target);
    return measures.map((one, at) => (one() - (before[at] ?? 0)) / requests);
  };
  await new Promise((done) => setTimeout(done, SETTLED_MS));
  for (const [, target] of ROWS) for (let n = 0; n < WARM_UP; n += 1) await here(target);
  const rows = [];
  for (const [request, target] of ROWS) {
    const [own = 0, database = 0] = await measure(here, target, [
      ownTime,
      () => processorTime(LOCAL_DATABASE),
    ]);
    const [other = 0, itsDatabase = 0] = await measure(there, target, [
      () => processorTime(BUGZILLA),
      () => processorTime(ITS_DATABASE),
    ]);
    rows.push({
      request,
      Bugless: rounded(own),
      'DynamoDB Local': rounded(database),
      Bugzilla: rounded(other),
      'its database': rounded(itsDatabase),
      times: rounded((other + itsDatabase) / own, 1),
      'with DynamoDB Local': rounded((other + itsDatabase) / (own + database), 1),
    });
  }
  printTable(`Processor time in ms beside ${beside}`, rows);
  await ground.stop();
}
