import { emptySummary, type Summary } from '../../../lib/catalogue/summary.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { mapConcurrent } from '../../../lib/map-concurrent.ts';
import { asyncPortions, portions } from '../../../lib/portions.ts';
import { normalizeName } from '../../../lib/text.ts';
import type { Bugzilla } from './bugzilla-client.ts';
import { readCheckpoints } from './checkpoint-repository.ts';
import { type BugCopy, readBug, writeBugs } from './copy-bug.ts';
import { copyFields } from './copy-fields.ts';
import { copyProduct, type ImportContext } from './copy-product.ts';
import { type BugRange, listBugs } from './list-bugs.ts';
import { notesOf } from './notes.ts';
import { ProblemList } from './problems.ts';
import { type Access, readAccess } from './product-access.ts';
import { readHistories } from './read-histories.ts';
import { sourceGroups } from './source-groups.ts';
import {
  BUG_FIELDS,
  productNamesResponse,
  type SourceBug,
  type SourceHistory,
  versionResponse,
} from './source-schema.ts';

/** What to copy. */
export interface ImportOptions extends BugRange {
  /** names; empty: all products that the owner of the API key can access */
  products: string[];
  /** also copy bugs whose `last_change_time` is that of their checkpoint */
  everything: boolean;
  /** called when another run writes bugs to the table, for which this one waits */
}

export interface ImportProgress {
  kind: 'products' | 'bugs';
  done: number;
  /** as far as known */
  total: number;
  hasMore: boolean;
}

export interface ImportResult {
  source: string;
  version: string;
  requests: number;
  summary: Summary;
  /** bugs skipped because of their checkpoints */
  unchangedBugs: number;
  problems: ReturnType<ProblemList['grouped']>;
  /** what is never copied, and manual steps */
  notes: string[];
}

/** Of the first request: a mistyped URL fails fast. */
const FIRST_REQUEST_ATTEMPTS = 2;
const CONCURRENT_BUGS = 4;
/** Bugs that are written together, and the data of their attachments that is in memory. */
const BUGS_TOGETHER = 50;
const BYTES_TOGETHER = 16_000_000;

/**
 * Copies fields, products, bugs, comments, attachments and histories from a running Bugzilla into the table, with their ids. Each copied bug gets a
 * checkpoint, so that a repeated run skips unchanged bugs and resumes an interrupted run.
 *
 * @throws what bugzilla.get throws for requests that are not for a single bug
 * @throws Error when a product of the options does not exist
 */
export async function importBugzilla(
  table: Table,
  bugzilla: Bugzilla,
  options: ImportOptions,
  report: (progress: ImportProgress) => void = () => undefined,
): Promise<ImportResult> {
  const problems = new ProblemList();
  const groups = sourceGroups(table, bugzilla, problems);
  const summary = emptySummary();
  const { version } = await bugzilla.get('version', versionResponse, { maxAttempts: FIRST_REQUEST_ATTEMPTS });
  const access = await readAccess(bugzilla);
  await groups.readOwnGroups();
  const customTypes = await copyFields({ table, bugzilla, problems });
  const context = { table, bugzilla, problems, summary, groups, customTypes };
  const ids = await wantedProducts(bugzilla, access, options.products);

  const names: string[] = [];
  for (const [place, id] of ids.entries()) {
    names.push(...(await copyProduct(context, access, id)));
    report({ kind: 'products', done: place + 1, total: ids.length, hasMore: false });
  }

  const unchangedBugs = await copyBugs(context, names, options, report);
  return {
    source: bugzilla.url,
    version,
    requests: bugzilla.requests(),
    summary,
    unchangedBugs,
    problems: problems.grouped(),
    notes: notesOf(bugzilla, access),
  };
}

/** @returns the number of skipped bugs */
async function copyBugs(
  context: ImportContext,
  products: string[],
  options: ImportOptions,
  report: (progress: ImportProgress) => void,
): Promise<number> {
  let [done, total, unchanged] = [0, 0, 0];
  const fields = [...BUG_FIELDS, ...context.customTypes.keys()].join(',');
  for await (const { bugs, invalid, hasMore } of listBugs(context.bugzilla, products, fields, options)) {
    for (const { id, why } of invalid) {
      const where = id === undefined ? 'a bug without a valid id' : `bug ${id}`;
      context.problems.add({ kind: 'bugs not copied', where, why });
    }
    total += bugs.length;
    const changed = options.everything ? bugs : await changedOf(context, bugs);
    unchanged += bugs.length - changed.length;
    done += bugs.length - changed.length;
    if (bugs.length > 0) report({ kind: 'bugs', done, total, hasMore });
    const histories = await readHistories(context.bugzilla, changed);
    const copies = readBugs(context, changed, histories);
    const together = [{ max: BUGS_TOGETHER }, { max: BYTES_TOGETHER, sizeOf: ({ bytes }: BugCopy) => bytes }];
    for await (const portion of asyncPortions(copies, ...together)) {
      await writeBugs(context, portion);
      done += portion.length;
      report({ kind: 'bugs', done, total, hasMore });
    }
    done = total;
  }
  return unchanged;
}

/** Reads some bugs at a time; those that cannot be read are left out. */
async function* readBugs(
  context: ImportContext,
  bugs: SourceBug[],
  histories: ReadonlyMap<number, SourceHistory>,
): AsyncGenerator<BugCopy> {
  for (const some of portions(bugs, { max: CONCURRENT_BUGS })) {
    const copies = await mapConcurrent(some, (bug) => readBug(context, bug, histories.get(bug.id)));
    yield* copies.filter((copy) => copy !== undefined);
  }
}

/** The bugs without a checkpoint of their current state; the problems of the others are reported again. */
async function changedOf(
  { table, bugzilla, problems }: ImportContext,
  bugs: SourceBug[],
): Promise<SourceBug[]> {
  const checkpoints = await readCheckpoints(
    table,
    bugs.map(({ id }) => id),
  );
  return bugs.filter(({ id, last_change_time }) => {
    const checkpoint = checkpoints.get(id);
    if (checkpoint?.source !== bugzilla.url || checkpoint.last_change_time !== last_change_time) return true;
    problems.add(...checkpoint.problems);
    return false;
  });
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
