import { openBugIndex } from '../../../lib/bugs/search-index/bug-index.ts';
import { bugRepository } from '../../../lib/bugs/store/repository.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import {
  CONVERSIONS,
  type Conversion,
  CURRENT_FORMAT,
  FORMAT,
  FORMAT_CHECK_MS,
  type FormatItem,
  formatItem,
  isOlder,
} from '../../../lib/dynamodb/format.ts';
import { formatKey } from '../../../lib/dynamodb/keys.ts';
import { readItem, type ScanReport } from '../../../lib/dynamodb/read.ts';
import { setItem } from '../../../lib/dynamodb/write.ts';
import { validItems } from '../check/check-table.ts';
import { addMissingWords } from '../check/words.ts';
import { UsageError } from '../context.ts';
import { convertItems } from './convert-items.ts';

/** What an upgrade tells while it runs. */
export interface UpgradeReport {
  /** before each conversion */
  begin(conversion: Conversion): void;
  /** before a pause until every instance of the functions has seen the new format */
  pause(ms: number): void;
  scan: ScanReport;
}

/** The format of a table, and the conversions that it needed. */
export interface Upgrade {
  /** 0: a version before 1.0.0 wrote it */
  from: number;
  to: number;
  converted: Conversion[];
}

/** A request that began before an instance saw the format ends by then. */
const REQUEST_MS = 30_000;

/**
 * Converts a table to the format of this version. The service may run meanwhile, in this version; what needs a conversion
 * that is not done is refused. An upgrade that was interrupted is repeated. Memory holds a page of items, and the words of
 * comments as hashes.
 *
 * @param wait milliseconds
 * @throws UsageError where a later version has converted the table
 */
export async function upgradeTable(
  table: Table,
  { begin, pause, scan }: UpgradeReport,
  wait: (ms: number) => Promise<unknown>,
): Promise<Upgrade> {
  const stored = await readItem(table, formatKey, formatItem);
  const from = stored?.format ?? 0;
  if (from > FORMAT) throw new UsageError(`The table has format ${from}: use the version that wrote it`);
  const needed = stored?.format === FORMAT ? stored.pending : CONVERSIONS;
  const converted: Conversion[] = [];
  await writePending(table, needed);
  if (mayRunOlder(stored)) {
    const ms = 2 * FORMAT_CHECK_MS + REQUEST_MS;
    pause(ms);
    await wait(ms);
  }
  for (const conversion of CONVERSIONS) {
    if (!needed.includes(conversion)) continue;
    begin(conversion);
    await CONVERT[conversion](table, scan);
    converted.push(conversion);
    const pending = needed.filter((one) => one !== conversion && !converted.some((done) => done === one));
    await writePending(table, pending);
  }
  return { from, to: FORMAT, converted };
}

async function writePending(table: Table, pending: readonly string[]): Promise<void> {
  await setItem(table, formatKey, { ...CURRENT_FORMAT, pending });
  table.format.forget();
}

/** Whether instances of a version may run that may not write the table any longer, and look at its format. */
const mayRunOlder = (stored: FormatItem | undefined): boolean =>
  stored !== undefined && isOlder(stored.writable_from, CURRENT_FORMAT.writable_from);

const CONVERT: Record<Conversion, (table: Table, report: ScanReport) => Promise<void>> = {
  items: async (table, report) => {
    for await (const page of validItems(table, report)) await convertItems(table, page);
  },
  'search index': async (table) => {
    const now = () => new Date();
    await openBugIndex(table, bugRepository(table, now), now, true).complete();
  },
  words: (table, report) => addMissingWords(table, () => validItems(table, report)),
};
