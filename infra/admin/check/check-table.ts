import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { ConditionFailed } from '../../../lib/dynamodb/errors.ts';
import { type Item, scanPages } from '../../../lib/dynamodb/read.ts';
import { MAX_TRANSACTION_ACTIONS, transactWrite } from '../../../lib/dynamodb/write.ts';
import { bugPointersCheck } from './bug-pointers.ts';
import { bugsCheck } from './bugs.ts';
import { commentsCheck } from './comments.ts';
import { type Check, type Finding, identityOf } from './finding.ts';
import { groupsCheck } from './groups.ts';
import { idsCheck } from './ids.ts';
import { judgeItem } from './item-kinds.ts';
import { productPointersCheck } from './product-pointers.ts';
import { productsCheck } from './products.ts';
import { referencesCheck } from './references.ts';
import { searchIndexCheck } from './search-index.ts';
import { tagCountsCheck, tagSuffixesCheck } from './tags.ts';
import { usersCheck } from './users.ts';

/** How often in a row something has to look wrong: while people work, two things may be read a moment apart. */
const CONFIRMATIONS = 3;
/** Of what one check finds; more than anybody reads. What is beyond is found when these are put right. */
const MAX_FINDINGS = 1_000;
/** A repair may make visible what another one mends, and there may be more than MAX_FINDINGS. */
const MAX_REPAIR_ROUNDS = 20;

const checksOf = (table: Table): Check[] => [
  idsCheck(table),
  bugsCheck(table),
  bugPointersCheck(table),
  searchIndexCheck(table),
  commentsCheck(table),
  productsCheck(),
  productPointersCheck(table),
  referencesCheck(table),
  tagCountsCheck(),
  tagSuffixesCheck(table),
  usersCheck(table),
  groupsCheck(table),
];

/** How many items have been looked at, of about how many. */
export type ProgressReport = (done: number, total: number) => void;

/** What is wrong with a table. */
export interface Findings {
  /** at most 1,000 of each kind */
  found: Finding[];
  /** whether there are more of some kind */
  hasMore: boolean;
}

/**
 * Whether the table holds together: what the invariants of `check/` forbid. Reads only. What is found is looked at
 * again, and told when it is still so.
 *
 * @param report called as the work goes on
 */
export async function checkTable(table: Table, report: ProgressReport = () => undefined): Promise<Findings> {
  let { found, hasMore } = await checkOnce(table, report);
  for (let look = 2; look <= CONFIRMATIONS && found.length > 0; look += 1) {
    const known = new Set(found.map(identityOf));
    const again = await checkOnce(table, report);
    found = again.found.filter((finding) => known.has(identityOf(finding)));
    hasMore = again.hasMore;
  }
  return { found, hasMore };
}

/** What became of a table that was to be repaired. */
export interface Repair {
  repaired: Finding[];
  left: Findings;
  /** why the work was not done to the end; absent: it was */
  failure?: unknown;
}

/**
 * Mends what has one right answer, each finding in a transaction that does nothing when it is no longer so; nothing
 * at all while an item is out of shape, since others cannot be judged without it.
 *
 * @param report called as the work goes on
 */
export async function repairTable(table: Table, report: ProgressReport = () => undefined): Promise<Repair> {
  const repaired: Finding[] = [];
  let left = await checkTable(table, report);
  try {
    for (let round = 0; round < MAX_REPAIR_ROUNDS; round += 1) {
      const before = repaired.length;
      for (const finding of repairable(left)) if (await tryRepair(table, finding)) repaired.push(finding);
      if (repaired.length === before) break;
      left = await checkTable(table, report);
    }
    return { repaired, left };
  } catch (failure) {
    return { repaired, left, failure };
  }
}

/** Those of them that can be repaired now. */
export function repairable({ found }: Findings): Finding[] {
  if (found.some(({ isFundamental }) => isFundamental)) return [];
  return found.filter(({ repair }) => repair !== undefined && repair.length <= MAX_TRANSACTION_ACTIONS);
}

async function tryRepair(table: Table, { repair = [] }: Finding): Promise<boolean> {
  try {
    await transactWrite(table, repair);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

async function checkOnce(table: Table, report: ProgressReport): Promise<Findings> {
  const { Table: about } = await table.client.send(new DescribeTableCommand({ TableName: table.name }));
  const shape = new Found();
  const checks = checksOf(table).map((check) => ({ check, found: new Found() }));
  let done = 0;
  for await (const page of scanPages(table)) {
    const judged = page.map((item) => ({ item, finding: judgeItem(item) }));
    const sound = judged.flatMap(({ item, finding }): Item[] => (finding === undefined ? [item] : []));
    shape.add(judged.flatMap(({ finding }) => finding ?? []));
    await Promise.all(checks.map(async ({ check, found }) => found.add(await check.next(sound))));
    done += page.length;
    report(done, Math.max(done, about?.ItemCount ?? 0));
  }
  for (const { check, found } of checks) found.add((await check.end?.()) ?? []);
  const all = [shape, ...checks.map(({ found }) => found)];
  return { found: all.flatMap(({ kept }) => kept), hasMore: all.some(({ hasMore }) => hasMore) };
}

/** What one check finds, as much of it as memory is to hold. */
class Found {
  readonly kept: Finding[] = [];
  hasMore = false;

  add(findings: Finding[]): void {
    const room = MAX_FINDINGS - this.kept.length;
    this.kept.push(...findings.slice(0, room));
    this.hasMore ||= findings.length > room;
  }
}
