import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { type BugzillaOptions, bugzillaClient } from '../../infra/import/bugzilla-client.ts';
import { type ImportOptions, type ImportResult, importBugzilla } from '../../infra/import/import-bugzilla.ts';
import type { ProblemKind } from '../../infra/import/problems.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { givesRights } from '../../lib/people/rights.ts';
import type { Table } from '../../lib/table/client.ts';
import { formatKey } from '../../lib/table/keys.ts';
import type { Item } from '../../lib/table/read.ts';
import { batchWrite } from '../../lib/table/write.ts';
import { newTable, referenceCatalogue } from './bugless.ts';
import type { CompleteCatalogue } from './complete-catalogue.ts';
import { keys } from './keys.ts';
import { parseNumbered } from './numbered.ts';
import type { SimulatedBugzilla } from './simulated-bugzilla.ts';
import { allItems } from './table-items.ts';

/** Client options without delays. */
export const FAST_OPTIONS = {
  requestsPerSecond: 2_000,
  concurrency: 4,
  maxAttempts: 4,
  initialDelayMs: 1,
  requestTimeout: () => AbortSignal.timeout(100_000),
  onRetry: () => undefined,
};
const DEFAULT_IMPORT: Omit<ImportOptions, 'file'> = {
  products: [],
  fromBug: 1,
  toBug: Number.POSITIVE_INFINITY,
  everything: false,
  bugsPerPage: 4,
  as: undefined,
  partial: false,
  givesRights: givesRights({
    INSIDER_GROUP: 'insiders',
    TIMETRACKING_GROUP: 'timetrackers',
    COMMENT_TAGGERS_GROUP: 'taggers',
    WEBHOOKS_GROUP: '',
  }),
  requiresLogin: false,
  grantRights: false,
  pause: async () => undefined,
  final: false,
  close: false,
  into: false,
  onCount: () => undefined,
  untilClosed: async () => undefined,
};

const folder = join(tmpdir(), `bugless-import-${randomUUID()}`);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The catalogue file of the imports into a table. */
export const fileFor = ({ name }: Pick<Table, 'name'>): string => join(folder, `${name}.ndjson`);

/** Imports with the API key of an administrator by default. */
export function importInto(
  table: Table,
  url: string,
  options: Partial<ImportOptions> = {},
  clientOptions: Partial<BugzillaOptions> = {},
): Promise<ImportResult> {
  const bugzilla = bugzillaClient({ url, key: keys.admin, ...FAST_OPTIONS, ...clientOptions });
  return importBugzilla(table, bugzilla, { ...DEFAULT_IMPORT, file: fileFor(table), ...options });
}

/** What imports wrote, by what they read and their options. */
const imported = new Map<string, { url: string; items: Item[]; file: string }>();

/**
 * A new table with what `importInto` writes, and the file of the import. Where one has read the same before, they are
 * copied, which takes a fraction of the time: it requests nothing from the Bugzilla, which may be changed afterwards.
 */
export async function importedTable(
  { url, content }: Pick<SimulatedBugzilla, 'url' | 'content'>,
  options: Partial<ImportOptions> = {},
  clientOptions: Partial<BugzillaOptions> = {},
): Promise<Table> {
  const table = await newTable();
  const { changed, attachments, ...rest } = content;
  const key = JSON.stringify([options, clientOptions, rest, [...changed], [...attachments]]);
  const written = imported.get(key);
  if (written === undefined) {
    await importInto(table, url, options, clientOptions);
    const file = await readFile(fileFor(table), 'utf8');
    imported.set(key, { url, items: await allItems(table), file });
    return table;
  }
  const here = (text: string) => text.replaceAll(written.url, url);
  // The table names the source for which it is closed.
  const isFormat = ({ pk }: Item) => pk === formatKey.pk;
  const items = written.items.map((item) => (isFormat(item) ? JSON.parse(here(JSON.stringify(item))) : item));
  await batchWrite(table, items);
  await mkdir(folder, { recursive: true });
  await writeFile(fileFor(table), here(written.file), { mode: 0o600 });
  return table;
}

/** The problems of one kind as lines. */
export const problemLines = ({ problems }: ImportResult, kind: ProblemKind) =>
  problems.find((one) => one.kind === kind)?.problems.map(({ where, why }) => `${where}: ${why}`) ?? [];

/** The first bugs of the reference catalogue, with at most nine comments, and the products that have some of them. */
export function shortCatalogue(lastBug = 5): CompleteCatalogue {
  const catalogue = referenceCatalogue();
  const bugs = catalogue.bugs.filter(({ id }) => id <= lastBug);
  for (const { comments } of bugs) comments.splice(9);
  const withBugs = new Set(bugs.map(({ product }) => product));
  return { ...catalogue, bugs, products: catalogue.products.filter(({ name }) => withBugs.has(name)) };
}

/** Adds the users of the reference catalogue, with their access to restricted products. */
export async function addUsers(table: Table): Promise<void> {
  const { groups, users } = referenceCatalogue();
  const all = users.map((user) =>
    user.groups.includes('secret-team') ? { ...user, groups: [...user.groups, 'bugzilla-restricted'] } : user,
  );
  await applyCatalogue(
    table,
    parseNumbered({ groups: [...groups, { name: 'bugzilla-restricted' }], users: all }),
  );
}

/** Sorts all lists and fields, to compare values irrespective of their order. */
export function sortDeep(value: unknown): unknown {
  if (Array.isArray(value)) {
    const text = (one: unknown) => JSON.stringify(one);
    return value.map(sortDeep).sort((a, b) => (text(a) < text(b) ? -1 : 1));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, field]) => [name, sortDeep(field)])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
}

/** @throws Error when the value is undefined */
export function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The reference catalogue lacks an expected value');
  return value;
}
