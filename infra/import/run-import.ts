import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import {
  bugSignature,
  type Difference,
  differingFields,
  settingsDifferences,
  shortened,
} from '../../lib/catalogue/canonical.ts';
import { lineOf, linesOfBug } from '../../lib/catalogue/lines.ts';
import { readCatalogueFile } from '../../lib/catalogue/read.ts';
import { readContent, removeOthers, type TableContent } from '../../lib/catalogue/replace-content.ts';
import type { Catalogue, CatalogueBug } from '../../lib/catalogue/schema.ts';
import type { Table } from '../../lib/table/client.ts';
import { type DeployedSettings, UsageError } from '../admin/context.ts';
import type { Progress } from '../admin/progress.ts';
import { replaceFile } from '../admin/replace-file.ts';
import { clockIn } from './clock.ts';
import { closeTable, isClosedFor, openTableAgain } from './closing.ts';
import type { Database } from './database.ts';
import { notCopied, unknownParts } from './not-copied.ts';
import { isOn, type Params } from './params.ts';
import { ProblemList } from './problems.ts';
import { rightsGroups, withoutRights } from './rights.ts';
import { readSourceCatalogue } from './source-catalogue.ts';

/** What is read, and how. */
export interface SourceOptions {
  database: Database;
  params: Params;
  /** of the clock of Bugzilla's server; undefined: that of the database server */
  timezone: string | undefined;
  /** where Bugzilla keeps large attachments in files */
  attachments: string | undefined;
  deployed: DeployedSettings;
  /** whether a group gives rights here */
  givesRights: (group: string) => boolean;
  /** leave out who is in groups that give rights */
  withoutRights: boolean;
  report: (progress: Progress) => void;
  /** prints a line while it goes on */
  note: (line: string) => void;
}

export interface ImportOptions extends SourceOptions {
  /** of the catalogue, which only its owner can read */
  file: string;
  /** open the table for writes at the end */
  final: boolean;
  /** replace the content of a table in use */
  again: boolean;
  /** the milestone of products that have none */
  placeholder: string;
  /** waits, in milliseconds */
  wait: (ms: number) => Promise<unknown>;
}

export type ImportResult = Awaited<ReturnType<typeof importDatabase>>;
export type VerifyResult = Awaited<ReturnType<typeof verifyImport>>;

/** Makes a table equal to a database of Bugzilla. @returns what was read and written, and what the table had otherwise, by kinds */
export async function importDatabase(table: Table, options: ImportOptions) {
  const { database, file, report, note } = options;
  using _lock = await lockImportFile(file);
  const source = await openSource(options);
  const wait = await closeTable(table, database.address, options.again);
  if (wait > 0) {
    note(`Waiting ${Math.ceil(wait / 1_000)} s until every process refuses requests that write`);
    await options.wait(wait);
  }
  const content = await readContent(table, ({ size }) => size, partsRead(report), shortened);
  const { bugs: known } = content;
  const [seen, written] = [new Set<number>(), new Set<number>()];
  let settings: Catalogue | undefined;

  /** The lines of the catalogue: bugs that the table does not have so, and the settings. */
  async function* lines(): AsyncGenerator<string> {
    for await (const bug of source.bugs()) {
      seen.add(bug.id);
      const attached = (bug.attachments ?? []).map(({ data, ...one }) => ({ ...one, data: sizeOf(data) }));
      if (known.get(bug.id) === shortened(signature(bug, attached))) continue;
      written.add(bug.id);
      yield* linesOfBug(bug);
    }
    settings = source.settings();
    yield lineOf({ ...settings, bugs: undefined });
  }

  const begun = performance.now();
  await replaceFile(file, lines());
  await database.close();
  note(`The database was read in ${Math.ceil((performance.now() - begun) / 1_000)} s`);
  if (settings === undefined) throw new Error('The settings were not read');
  const gone = [...known.keys()].filter((id) => !seen.has(id));
  const outdated = [...gone, ...[...written].filter((id) => known.has(id))];
  const differences = settingsDifferences(settings, content.settings);
  await removeOthers(table, content, settings, outdated, (done) =>
    report({ kind: 'bugs removed', done, total: outdated.length }),
  );
  const catalogue = await readCatalogueFile(file);
  const summary = await applyCatalogue(table, catalogue, {
    ...{ report, placeholder: options.placeholder, isWhole: true },
  });
  if (options.final) await openTableAgain(table, database.address, 'final');
  return {
    ...source.report(),
    ...{ file, summary, unchangedBugs: seen.size - written.size },
    replaced: {
      bugs: outdated.length - gone.length,
      removed: gone.length,
      settings: onlyKnown(differences, content),
    },
    isClosed: await isClosedFor(table, database.address),
  };
}

const partsRead = (report: SourceOptions['report']) => (done: number, total: number) =>
  report({ kind: 'parts of the table', done, total });

/** Of a table that was empty everything differs: that is not told. */
const onlyKnown = (differences: readonly Difference[], { settings }: TableContent): Difference[] =>
  settings.users.length + settings.products.length === 0 ? [] : [...differences];

/** The size of the data of an attachment of a database, which is read when it is needed. */
const sizeOf = (data: object): unknown => ('size' in data ? data.size : undefined);

const signature = ({ attachments: _, custom, ...bug }: CatalogueBug, attached: readonly object[]): string =>
  bugSignature({ ...bug, ...custom }, attached);

/** Compares a table with a database of Bugzilla, entry by entry, without writing anything. */
export async function verifyImport(table: Table, options: SourceOptions) {
  const { report } = options;
  const source = await openSource(options);
  const hashOf = async ({ read }: { read(): Promise<Buffer> }) =>
    createHash('sha256')
      .update(await read())
      .digest('base64url');
  const content = await readContent(table, hashOf, partsRead(report));
  const differences: Difference[] = [];
  const missing = new Set(content.bugs.keys());
  let bugs = 0;
  for await (const bug of source.bugs()) {
    const attached = [];
    for (const { data, ...one } of bug.attachments ?? []) attached.push({ ...one, data: await hashOf(data) });
    const [here, there] = [content.bugs.get(bug.id), signature(bug, attached)];
    missing.delete(bug.id);
    bugs += 1;
    const entry = String(bug.id);
    if (here === undefined) differences.push({ kind: 'bugs', entry, change: 'added', fields: [] });
    else if (here !== there) {
      differences.push({ kind: 'bugs', entry, change: 'changed', fields: differingFields(here, there) });
    }
  }
  for (const id of missing)
    differences.push({ kind: 'bugs', entry: String(id), change: 'removed', fields: [] });
  differences.unshift(...settingsDifferences(source.settings(), content.settings));
  await options.database.close();
  return { ...source.report(), bugs, differences };
}

/**
 * Begins to read a database, and says by which clock, and which groups give rights.
 *
 * @throws UsageError where the deployment would show what the source does not
 */
async function openSource({ database, params, report, note, givesRights, ...options }: SourceOptions) {
  requireBugzilla(database);
  requireSameAccess(params, options.deployed);
  const problems = new ProblemList();
  const clock = clockIn(options.timezone ?? database.zone);
  const [newest] = await database.select('bugs', 'bug_id delta_ts', 'ORDER BY delta_ts DESC LIMIT 1');
  const changed = newest?.text('delta_ts') ?? '';
  note(
    `Bugzilla's clock is that of ${clock.zone}: its newest change, of ${changed || 'never'} there, was at ${clock.time(changed) ?? 'no time'}. Another one: --timezone`,
  );
  const catalogue = await readSourceCatalogue({ ...options, database, clock, problems });
  const total = await database.count('bugs');
  const listed = await notCopied(database);
  const groups = await rightsGroups(catalogue.settings(), givesRights);
  for (const line of rightsLines(!options.withoutRights, groups)) note(line);
  const reduced = (settings: Catalogue) =>
    options.withoutRights ? withoutRights(settings, givesRights) : settings;
  return {
    async *bugs(): AsyncGenerator<CatalogueBug> {
      let done = 0;
      for await (const bug of catalogue.bugs()) {
        yield bug;
        done += 1;
        report({ kind: 'bugs read', done, total });
      }
    },
    settings: () => reduced(catalogue.settings()),
    /** What was read, and what a catalogue cannot have of it. */
    report() {
      if (clock.skipped() > 0) {
        problems.add(
          'times that the clock skipped',
          `${clock.skipped()} times`,
          'they are the next ones that exist',
        );
      }
      return {
        source: database.address,
        timezone: clock.zone,
        rights: { isGiven: !options.withoutRights, groups },
        problems: problems.grouped(),
        notCopied: [...listed, ...unknownParts(database)],
      };
    },
  };
}

const MAX_MEMBERS = 20;

/** What is said of groups that give rights. */
function rightsLines(isGiven: boolean, groups: Awaited<ReturnType<typeof rightsGroups>>): string[] {
  if (groups.length === 0) return [];
  return [
    `Groups that give rights here, ${isGiven ? 'as there' : 'without their members'}:`,
    ...groups.map(({ group, users }) => {
      const more = users.length > MAX_MEMBERS ? `, and ${users.length - MAX_MEMBERS} more` : '';
      return `  ${group}: ${users.slice(0, MAX_MEMBERS).join(', ')}${more}`;
    }),
  ];
}

/** Tables that every Bugzilla has. */
const NEEDED = 'bugs longdescs profiles products components fielddefs bugs_activity groups'.split(' ');

function requireBugzilla({ address, columns }: Database): void {
  const missing = NEEDED.filter((table) => !columns.has(table));
  if (missing.length > 0) {
    throw new UsageError(
      `${address} is no database of a Bugzilla from 4.4 on: it lacks ${missing.join(', ')}`,
    );
  }
}

/** The groups that decide what is private, by the parameter there and the option here. */
const ACCESS = {
  insidergroup: 'INSIDER_GROUP',
  timetrackinggroup: 'TIMETRACKING_GROUP',
  comment_taggers_group: 'COMMENT_TAGGERS_GROUP',
} as const;

/** @throws UsageError where the deployment would show what the source does not */
function requireSameAccess(params: Params, deployed: DeployedSettings): void {
  if (isOn(params, 'requirelogin') && !deployed.REQUIRE_LOGIN) {
    throw new UsageError(
      'Bugzilla requires login, and this deployment shows everybody what is public. Nothing was changed. Deploy with REQUIRE_LOGIN=true first, and name the stack with --stack, or set REQUIRE_LOGIN=true here as there',
    );
  }
  for (const [param, option] of Object.entries(ACCESS)) {
    const there = params.get(param) ?? '';
    const here = Object.entries(deployed).find(([name]) => name === option)?.[1];
    if (here === there) continue;
    throw new UsageError(
      `Bugzilla's ${param} is '${there}', and this deployment's ${option} is '${String(here)}'. Nothing was changed. Deploy with ${option}=${there} first, or set it here as there`,
    );
  }
}

/**
 * Takes the lock of the file of an import, until it is closed: an exclusive transaction on an empty SQLite file beside it, which the
 * operating system releases when the process ends.
 *
 * @throws UsageError when another import has it
 */
export async function lockImportFile(path: string): Promise<DatabaseSync> {
  await mkdir(dirname(path), { recursive: true });
  const lock = new DatabaseSync(`${path}.lock`, { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (!(error instanceof Error && error.message.includes('locked'))) throw error;
    throw new UsageError(`Another import writes ${path}. Nothing was changed: wait until it has ended`);
  }
}
