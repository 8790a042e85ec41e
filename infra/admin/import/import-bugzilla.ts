import { bugRepository } from '../../../lib/bugs/store/repository.ts';
import { applyCatalogue } from '../../../lib/catalogue/apply.ts';
import type { Catalogue } from '../../../lib/catalogue/schema.ts';
import type { Summary } from '../../../lib/catalogue/summary.ts';
import { bugChecker } from '../../../lib/catalogue/validation.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { mapConcurrent } from '../../../lib/map-concurrent.ts';
import { portions } from '../../../lib/portions.ts';
import { normalizeName } from '../../../lib/text.ts';
import type { Progress } from '../progress.ts';
import type { Bugzilla } from './bugzilla-client.ts';
import { readBug } from './copy-bug.ts';
import { copyFields } from './copy-fields.ts';
import { copyProduct, type ImportContext, isRestricted } from './copy-product.ts';
import { type ImportFile, openImportFile } from './import-file.ts';
import { type BugRange, countBugs, listBugs } from './list-bugs.ts';
import { notesOf } from './notes.ts';
import { ProblemList } from './problems.ts';
import { type Access, RESTRICTED, readAccess } from './product-access.ts';
import { readHistories } from './read-histories.ts';
import { reasonOf } from './sanitize.ts';
import { emptySettings, settle } from './settings.ts';
import { sourceGroups } from './source-groups.ts';
import { BUG_FIELDS, productNamesResponse, type SourceBug, versionResponse } from './source-schema.ts';
import { type SourceUsers, sourceUsers } from './source-users.ts';

/** What to copy. */
export interface ImportOptions extends BugRange {
  /** the catalogue file that is written and applied; what it has already is not requested again */
  file: string;
  /** names; empty: all products that the owner of the API key can access */
  products: string[];
  /** also request bugs whose `last_change_time` is that of the file */
  everything: boolean;
}

export interface ImportResult {
  source: string;
  version: string;
  requests: number;
  /** the catalogue file */
  file: string;
  summary: Summary;
  /** bugs skipped because they have not changed since an earlier run applied them */
  unchangedBugs: number;
  problems: ReturnType<ProblemList['grouped']>;
  /** what is never copied, and manual steps */
  notes: string[];
}

/** Of the first request: a mistyped URL fails fast. */
const FIRST_REQUEST_ATTEMPTS = 2;
const CONCURRENT_BUGS = 4;

/**
 * Copies fields, products, bugs, comments, attachments and histories from a running Bugzilla, with their ids: converts
 * them to a catalogue file, and applies it. A repeated run requests only bugs that have changed since they were written
 * to the file, and applies only bugs that were not applied, or that the table does not have.
 *
 * @throws what bugzilla.get throws for requests that are not for a single bug
 * @throws Error when a product of the options does not exist
 */
export async function importBugzilla(
  table: Table,
  bugzilla: Bugzilla,
  options: ImportOptions,
  report: (progress: Progress) => void = () => undefined,
): Promise<ImportResult> {
  const problems = new ProblemList();
  const settings = emptySettings();
  const groups = sourceGroups({ table, settings, problems }, bugzilla);
  const context: ImportContext = { table, bugzilla, problems, settings, groups };
  const users = sourceUsers(context, bugzilla.hasKey);
  const { version } = await bugzilla.get('version', versionResponse, { maxAttempts: FIRST_REQUEST_ATTEMPTS });
  const access = await readAccess(bugzilla);
  await groups.readOwnGroups();
  await copyFields(context, bugzilla);
  const ids = await wantedProducts(bugzilla, access, options.products);
  for (const [place, id] of ids.entries()) {
    await copyProduct(context, access, id);
    report({ kind: 'products', done: place + 1, total: ids.length });
  }
  await settle(context);
  for (const { name } of settings.products.filter(isRestricted)) {
    const why = `it is not public in Bugzilla; here it requires the group ${RESTRICTED}`;
    problems.add({ kind: 'products with inferred access', where: `product '${name}'`, why });
  }

  const file = await openImportFile(options.file, bugzilla.url);
  try {
    const { wanted, unchanged } = await readBugs(context, users, file, options, report);
    await users.add();
    const catalogue = await settle(context);
    const summary = await applyFile(context, file, catalogue, wanted, report);
    return {
      source: bugzilla.url,
      version,
      requests: bugzilla.requests(),
      file: options.file,
      summary,
      unchangedBugs: unchanged,
      problems: problems.grouped(),
      notes: notesOf(bugzilla, access),
    };
  } finally {
    await file.close();
  }
}

/**
 * Writes the bugs that have changed to the file.
 *
 * @returns the ids of the bugs to be applied, and the number of those that need not
 */
async function readBugs(
  context: ImportContext,
  users: SourceUsers,
  file: ImportFile,
  options: ImportOptions,
  report: (progress: Progress) => void,
): Promise<{ wanted: Set<number>; unchanged: number }> {
  const { table, bugzilla, problems, settings, groups } = context;
  const customTypes = new Map(settings.bug_fields.map(({ name, type }) => [name, type]));
  const products = settings.products.map(({ name }) => name);
  const fields = [...BUG_FIELDS, ...customTypes.keys()].join(',');
  const wanted = new Set<number>();
  const count = await countBugs(bugzilla, products, options);
  let [done, unchanged] = [0, 0];

  /** Whether the file has the bug in its current state. Its problems are reported again. */
  function isInFile({ id, last_change_time }: SourceBug): boolean {
    const known = file.known.get(id);
    if (options.everything || known?.last_change_time !== last_change_time) return false;
    for (const problem of known.problems) problems.add(problem);
    return true;
  }

  for await (const { bugs, invalid } of listBugs(bugzilla, products, fields, options)) {
    for (const { id, why } of invalid) {
      const where = id === undefined ? 'a bug without a valid id' : `bug ${id}`;
      problems.add({ kind: 'bugs not copied', where, why });
    }
    const progress = (more: number) => {
      done += more;
      // Bugs may have been added since they were counted.
      const total = count === undefined ? undefined : Math.max(count, done);
      report({ kind: 'bugs requested', done, total });
    };
    for (const bug of bugs) users.collect(bug);
    const applied = bugs.flatMap(({ id }) => (file.known.get(id)?.is_applied ? [id] : []));
    const stored = await bugRepository(table, () => new Date()).byIds(applied);
    const { changed = [], known = [] } = Object.groupBy(bugs, (bug) => (isInFile(bug) ? 'known' : 'changed'));
    const unapplied = known.filter(({ id }) => !stored.has(id));
    unchanged += known.length - unapplied.length;
    for (const { id } of unapplied) wanted.add(id);
    progress(known.length);
    const histories = await readHistories(bugzilla, changed);
    for (const some of portions(changed, { max: CONCURRENT_BUGS })) {
      const copies = await mapConcurrent(some, (bug) =>
        readBug(context, bug, histories.get(bug.id), customTypes),
      );
      for (const copy of copies) {
        if (copy === undefined) continue;
        await file.add(copy.id, copy.bug, copy);
        for (const problem of copy.problems) problems.add(problem);
        wanted.add(copy.id);
      }
      progress(some.length);
    }
    const names = [...unapplied, ...changed].flatMap((bug) => bug.groups);
    for (const name of new Set(names)) await groups.ensureName(name);
  }
  return { wanted, unchanged };
}

/** Applies the file, and leaves out bugs that contradict each other or the table. */
async function applyFile(
  { table, problems }: ImportContext,
  file: ImportFile,
  catalogue: Catalogue,
  wanted: Set<number>,
  report: (progress: Progress) => void,
): Promise<Summary> {
  const refuse = (id: number, why: string) => {
    problems.add({ kind: 'bugs not copied', where: `bug ${id}`, why });
    wanted.delete(id);
    file.known.delete(id);
  };
  // An untrusted server may give several bugs the same alias, or comment.
  const check = bugChecker();
  for await (const bug of file.bugs(wanted)) {
    check(bug, [], (path, message) => refuse(bug.id ?? 0, reasonOf([{ path, message }], 0)));
  }
  const summary = await applyCatalogue(
    table,
    { ...catalogue, bugs: file.bugs(new Set(wanted)) },
    {
      report,
      renameParts: true,
      leaveOut: ({ id = 0 }, found) => refuse(id, reasonOf(found, 0)),
    },
  );
  for (const id of wanted) {
    const bug = file.known.get(id);
    if (bug !== undefined) bug.is_applied = true;
  }
  await file.complete(catalogue);
  return summary;
}

async function wantedProducts(bugzilla: Bugzilla, access: Access, names: string[]): Promise<number[]> {
  if (names.length === 0) return access.products;
  const { products } = await bugzilla.get('product', productNamesResponse, {
    query: { names, include_fields: 'id,name' },
  });
  const found = new Set(products.map(({ name }) => normalizeName(name)));
  const missing = names.filter((name) => !found.has(normalizeName(name)));
  if (missing.length > 0)
    throw new Error(`${bugzilla.url} does not show a product '${missing.join("', '")}'`);
  return products.map(({ id }) => id).sort((a, b) => a - b);
}
