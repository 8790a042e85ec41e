import { kinds, nothing, type Summary } from '../../../lib/catalogue/summary.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { mapConcurrent } from '../../../lib/map-concurrent.ts';
import { normalizeName } from '../../../lib/text.ts';
import type { Bugzilla } from './bugzilla-client.ts';
import { readCheckpoints } from './checkpoint-repository.ts';
import { copyBug } from './copy-bug.ts';
import { type Copying, copyProduct } from './copy-product.ts';
import { type BugRange, listBugs } from './list-bugs.ts';
import { notesOf } from './notes.ts';
import { Findings } from './problems.ts';
import { type Access, readAccess } from './product-access.ts';
import { SourceGroups } from './source-groups.ts';
import { productNamesAnswer, type SourceBug, versionAnswer } from './source-schema.ts';

/** What to copy. */
export interface ImportOptions extends BugRange {
  /** names; none: all that the API key's owner can reach */
  products: string[];
  /** look at the comments of every bug, also of those that have not changed since they were copied */
  everything: boolean;
  /** how many bugs to ask for at once */
  bugsAtOnce: number;
}

/** How far the work is. */
export interface ImportProgress {
  kind: 'products' | 'bugs';
  done: number;
  /** as far as is known */
  total: number;
  hasMore: boolean;
}

/** What an import did, and could not do. */
export interface ImportResult {
  source: string;
  version: string;
  requests: number;
  summary: Summary;
  /** bugs that had not changed since they were copied, and were not asked for again */
  unchangedBugs: number;
  findings: ReturnType<Findings['grouped']>;
  /** what is never copied, and what is to be done by hand */
  notes: string[];
}

/** Of the very first request: whoever mistyped the URL is told soon. */
const FIRST_ATTEMPTS = 2;
/** How many bugs are copied at once. */
const BUGS_AT_ONCE = 4;

/**
 * Copies products, and their bugs with their comments, from a running Bugzilla into the table. Ids stay. What was
 * copied before and has not changed is not asked for again, so an interrupted run is taken up by running it again.
 *
 * @param report called as the work goes on
 * @throws BugzillaUnreachable, BugzillaError when Bugzilla cannot be asked at all
 * @throws Error when a product that was named is not there
 */
export async function importBugzilla(
  table: Table,
  bugzilla: Bugzilla,
  options: ImportOptions,
  report: (progress: ImportProgress) => void = () => undefined,
): Promise<ImportResult> {
  const findings = new Findings();
  const copying = { table, bugzilla, findings, groups: new SourceGroups(table, bugzilla, findings) };
  const totals = new Totals();
  const { version } = await bugzilla.get('version', versionAnswer, { attempts: FIRST_ATTEMPTS });
  const access = await readAccess(bugzilla);
  await copying.groups.learnOwn();
  const ids = await wantedProducts(bugzilla, access, options.products);

  const names: string[] = [];
  for (const [place, id] of ids.entries()) {
    const copied = await copyProduct(copying, access, id);
    if (copied !== undefined) names.push(copied.name);
    totals.add(copied?.summary);
    report({ kind: 'products', done: place + 1, total: ids.length, hasMore: false });
  }

  const unchangedBugs = await copyBugs(copying, names, { options, totals, report });
  return {
    source: bugzilla.url,
    version,
    requests: bugzilla.requests,
    summary: totals.summary,
    unchangedBugs,
    findings: findings.grouped(),
    notes: notesOf(bugzilla, access),
  };
}

/** @returns how many had not changed since they were copied */
async function copyBugs(
  copying: Copying,
  products: string[],
  {
    options,
    totals,
    report,
  }: { options: ImportOptions; totals: Totals; report: (progress: ImportProgress) => void },
): Promise<number> {
  let [done, total, unchanged] = [0, 0, 0];
  for await (const { bugs, hasMore } of listBugs(copying.bugzilla, products, options, options.bugsAtOnce)) {
    total += bugs.length;
    const changed = options.everything ? bugs : await changedOf(copying, bugs);
    unchanged += bugs.length - changed.length;
    done += bugs.length - changed.length;
    if (bugs.length > 0) report({ kind: 'bugs', done, total, hasMore });
    const copy = async (bug: SourceBug) => {
      totals.add(await copyBug(copying, bug));
      done += 1;
      report({ kind: 'bugs', done, total, hasMore });
    };
    await mapConcurrent(changed, copy, BUGS_AT_ONCE);
  }
  return unchanged;
}

/** Those that were not copied as they are now; of the others, what could not be copied is told again. */
async function changedOf({ table, bugzilla, findings }: Copying, bugs: SourceBug[]): Promise<SourceBug[]> {
  const marks = await readCheckpoints(
    table,
    bugs.map(({ id }) => id),
  );
  return bugs.filter(({ id, last_change_time }) => {
    const mark = marks.get(id);
    if (mark?.source !== bugzilla.url || mark.last_change_time !== last_change_time) return true;
    findings.add(...mark.findings);
    return false;
  });
}

async function wantedProducts(bugzilla: Bugzilla, access: Access, names: string[]): Promise<number[]> {
  if (names.length === 0) return access.products;
  const { products } = await bugzilla.get('product', productNamesAnswer, {
    query: { names, include_fields: 'id,name' },
  });
  const found = new Set(products.map(({ name }) => normalizeName(name)));
  const missing = names.filter((name) => !found.has(normalizeName(name)));
  if (missing.length > 0)
    throw new Error(`${bugzilla.url} does not show a product '${missing.join("', '")}'`);
  return products.map(({ id }) => id).sort((a, b) => a - b);
}

/** Adds up what was done. */
class Totals {
  readonly summary = nothing();

  add(summary: Summary | undefined): void {
    if (summary === undefined) return;
    for (const kind of kinds) {
      this.summary[kind].added += summary[kind].added;
      this.summary[kind].changed += summary[kind].changed;
      this.summary[kind].unchanged += summary[kind].unchanged;
    }
  }
}
