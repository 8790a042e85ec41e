import { timestamp } from '../../../lib/base/time.ts';
import type { Table } from '../../../lib/table/client.ts';
import { anyItem, type ScanReport, scanPages } from '../../../lib/table/read.ts';
import { MAX_TRANSACTION_ACTIONS, tryTransactWrite } from '../../../lib/table/write.ts';
import { apiKeyChecks } from './api-keys.ts';
import { bugValuesCheck } from './bug-values.ts';
import { attachmentsCheck, bugsCheck } from './bugs.ts';
import { type Check, type Finding, identityOf } from './finding.ts';
import { groupGraphCheck } from './group-graph.ts';
import { idsCheck } from './ids.ts';
import { validateItem } from './item-kinds.ts';
import { pointerChecks } from './pointers.ts';
import { productsCheck } from './products.ts';
import { referenceChecks, savedSearchChecks, watchChecks } from './references.ts';
import { searchIndexCheck } from './search-index.ts';
import { tagCountsCheck } from './tags.ts';
import { wordsCheck } from './words.ts';

/** A violation must appear in this many scans: concurrent writes may change one of two items between their reads. */
const MAX_SCANS = 3;
/** Per check, to bound memory; a repair scans again for the others. */
const MAX_FINDINGS = 1_000;
/** A repair may uncover other violations, and there may be more than MAX_FINDINGS. */
const MAX_REPAIR_ROUNDS = 20;

/** The checks by name. */
const CHECKS: Record<string, (table: Table) => Check[]> = {
  ids: (table) => [idsCheck(table)],
  bugs: (table) => [bugsCheck(), bugValuesCheck(table)],
  attachments: () => [attachmentsCheck()],
  groups: (table) => [groupGraphCheck(table)],
  products: (table) => [productsCheck(table)],
  pointers: (table) => pointerChecks.map((check) => check(table)),
  references: (table) => referenceChecks.map((check) => check(table)),
  'api-keys': (table) => apiKeyChecks.map((check) => check(table)),
  'saved-searches': (table) => savedSearchChecks.map((check) => check(table)),
  watches: (table) => watchChecks.map((check) => check(table)),
  'search-index': (table) => [searchIndexCheck(table)],
  tags: () => [tagCountsCheck()],
  words: (table) => (table.indexesComments ? [wordsCheck(table)] : []),
};

/** The names of the checks, as `check --only` takes them. */
export const CHECK_NAMES: readonly string[] = Object.keys(CHECKS);

/** What a check, or a repair, looks at. */
export interface CheckOptions {
  /** called with the progress of each scan */
  report?: ScanReport;
  /** of each check, in one scan */
  maxFindings?: number;
  /** absent: all. Items that do not match their schemas are found in any case */
  only?: readonly string[] | undefined;
}

/** The violations and notes of a table, at most 1,000 of each check, and whether some check found more. */
type Findings = Awaited<ReturnType<typeof scanTable>>;

/**
 * Integrity check: scans the table for violations of the invariants of this folder. Reads only. Violations are
 * confirmed by further scans, since the table may be in use.
 */
export async function checkTable(table: Table, options: CheckOptions = {}): Promise<Findings> {
  let { found, hasMore } = await scanTable(table, options);
  for (let scan = 2; scan <= MAX_SCANS && found.some(isViolation); scan += 1) {
    const known = new Set(found.map(identityOf));
    const again = await scanTable(table, options);
    found = again.found.filter((finding) => known.has(identityOf(finding)));
    hasMore = again.hasMore;
  }
  return { found, hasMore };
}

/** The result of a repair. */
export interface RepairResult {
  repaired: Finding[];
  left: Findings;
  /** the error that ended the repair early */
  failure?: unknown;
}

/**
 * Repairs unambiguous violations, each in a conditional transaction that fails when the items have changed since.
 * Repairs nothing while an item does not match its schema, because others cannot be checked without it. The table may be
 * in use, also by `apply`: what a run leaves when it is interrupted is not touched before it is a day old.
 */
export async function repairTable(table: Table, options: CheckOptions = {}): Promise<RepairResult> {
  const repaired = new Map<string, Finding>();
  let left = await checkTable(table, options);
  try {
    for (let round = 0; round < MAX_REPAIR_ROUNDS; round += 1) {
      const before = repaired.size;
      for (const finding of repairable(left)) {
        if (repaired.has(identityOf(finding))) continue;
        const { repair = [] } = finding;
        const stale = await (Array.isArray(repair)
          ? tryTransactWrite(table, repair)
          : repair(table, timestamp(table.now())));
        if (stale === undefined) repaired.set(identityOf(finding), finding);
      }
      if (repaired.size === before) break;
      left = await checkTable(table, options);
    }
  } catch (failure) {
    return { repaired: [...repaired.values()], left, failure };
  }
  // A violation that is found again after its repair is not repaired again, and is left.
  for (const finding of left.found) repaired.delete(identityOf(finding));
  return { repaired: [...repaired.values()], left };
}

/** The violations that can be repaired now. */
export function repairable({ found }: Findings): Finding[] {
  if (found.some(({ blocksRepair }) => blocksRepair)) return [];
  return found.filter(({ repair }) =>
    Array.isArray(repair) ? repair.length <= MAX_TRANSACTION_ACTIONS : repair !== undefined,
  );
}

/** Whether a finding is no mere note. */
export const isViolation = ({ isNote = false }: Finding): boolean => !isNote;

async function scanTable(
  table: Table,
  { report = () => undefined, maxFindings = MAX_FINDINGS, only = CHECK_NAMES }: CheckOptions,
) {
  const invalid: Finding[] = [];
  const checks: { check: Check; found: Finding[] }[] = only
    .flatMap((name) => CHECKS[name]?.(table) ?? [])
    .map((check) => ({ check, found: [] }));
  // One more says that there are more.
  const keep = (kept: Finding[], found: Finding[]) =>
    kept.push(...found.slice(0, maxFindings + 1 - kept.length));
  for await (const page of scanPages(table, anyItem, { report })) {
    const valid = page.filter((item) => {
      const finding = validateItem(item);
      if (finding !== undefined) keep(invalid, [finding]);
      return finding === undefined;
    });
    await Promise.all(checks.map(async ({ check, found }) => keep(found, await check.scan(valid))));
  }
  for (const { check, found } of checks) keep(found, (await check.finish?.()) ?? []);
  const all = [invalid, ...checks.map(({ found }) => found)];
  return {
    found: all.flatMap((kept) => kept.slice(0, maxFindings)),
    hasMore: all.some(({ length }) => length > maxFindings),
  };
}
