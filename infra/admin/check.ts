import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import type { Table } from '../../lib/db/client.ts';
import type { Item } from '../../lib/db/reading.ts';
import { ConditionFailed, writeTogether } from '../../lib/db/writing.ts';
import { bugPointersCheck, bugsCheck } from './check/bugs.ts';
import { commentsCheck } from './check/comments.ts';
import { countersCheck } from './check/counters.ts';
import type { Check, Finding } from './check/finding.ts';
import { judgeItem } from './check/item-kinds.ts';
import { productPointersCheck, productsCheck } from './check/products.ts';
import { tagCountsCheck, tagSuffixesCheck } from './check/tags.ts';
import { usersCheck } from './check/users.ts';
import { scanPages } from './listing.ts';

/** How many items have been looked at, of about how many. */
export type LookReport = (done: number, total: number) => void;

/** How often in a row something has to look wrong: while people work, two things may be read a moment apart. */
const LOOKS = 3;

/**
 * Whether the table holds together: what the invariants of `check/` forbid. Reads only. What is found is looked at
 * again, and told when it is still just so.
 *
 * @param report called as the work goes on
 * @returns what is wrong, at most 10,000 of it; nothing, when all is well
 */
export async function checkTable(table: Table, report: LookReport = () => undefined): Promise<Finding[]> {
  let found = await lookOnce(table, report);
  for (let look = 2; look <= LOOKS && found.length > 0; look += 1) {
    const known = new Set(found.map(described));
    found = (await lookOnce(table, report)).filter((finding) => known.has(described(finding)));
  }
  return found;
}

/** A finding in one line. */
export const described = ({ item, wrong }: Finding): string => `${item}: ${wrong}`;

/** What one repair makes visible, the next one mends. */
const MOST_ROUNDS = 3;

/**
 * Mends what has one right answer, each finding in a transaction that does nothing when it is no longer so.
 *
 * @returns what was repaired, and what is still wrong
 */
export async function repairTable(
  table: Table,
  report: LookReport = () => undefined,
): Promise<{ repaired: Finding[]; left: Finding[] }> {
  const repaired: Finding[] = [];
  let left = await checkTable(table, report);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const mended: Finding[] = [];
    for (const finding of left) if (await isMended(table, finding)) mended.push(finding);
    if (mended.length === 0) break;
    repaired.push(...mended);
    left = await checkTable(table, report);
  }
  return { repaired, left };
}

async function isMended(table: Table, { repair }: Finding): Promise<boolean> {
  if (repair === undefined) return false;
  try {
    await writeTogether(table, repair);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

/** More than anybody reads; a table that has more is looked at again after these are mended. */
const MOST_FINDINGS = 10_000;

async function lookOnce(table: Table, report: LookReport): Promise<Finding[]> {
  const { Table: about } = await table.client.send(new DescribeTableCommand({ TableName: table.name }));
  const checks: Check[] = [
    bugsCheck(table),
    bugPointersCheck(table),
    commentsCheck(table),
    productsCheck(table),
    productPointersCheck(table),
    tagCountsCheck(),
    tagSuffixesCheck(table),
    usersCheck(table),
    countersCheck(),
  ];
  const findings: Finding[] = [];
  const add = (more: Finding[]) => findings.push(...more.slice(0, MOST_FINDINGS - findings.length));
  let done = 0;
  for await (const page of scanPages(table)) {
    const judged = page.map((item) => ({ item, finding: judgeItem(item) }));
    const sound = judged.flatMap(({ item, finding }): Item[] => (finding === undefined ? [item] : []));
    add(judged.flatMap(({ finding }) => finding ?? []));
    for (const check of checks) add(await check.next(sound));
    done += page.length;
    report(done, Math.max(done, about?.ItemCount ?? 0));
  }
  for (const check of checks) add(await check.end());
  return findings;
}
