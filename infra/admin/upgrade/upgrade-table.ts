import { bugRepository } from '../../../lib/bugs/store/repository.ts';
import { openBugIndex } from '../../../lib/search/index/bug-index.ts';
import { ADOPTION_MS, changeFormat, laterOf } from '../../../lib/table/change-format.ts';
import type { Table } from '../../../lib/table/client.ts';
import {
  CONVERSIONS,
  type Conversion,
  CURRENT_FORMAT,
  FORMAT,
  type FormatItem,
  isOlder,
  neededConversions,
  parseFormat,
} from '../../../lib/table/format.ts';
import { formatKey } from '../../../lib/table/keys.ts';
import { readItem, type ScanReport } from '../../../lib/table/read.ts';
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
  const { stored, needed } = await beginUpgrade(table);
  if (mayRunOlder(stored)) {
    pause(ADOPTION_MS);
    await wait(ADOPTION_MS);
  }
  for (const conversion of needed) {
    begin(conversion);
    await CONVERT[conversion](table, scan);
    await changeFormat(table, (current) => ({
      ...(current ?? CURRENT_FORMAT),
      pending: current?.pending.filter((one) => one !== conversion) ?? [],
    }));
  }
  return { from: stored?.format ?? 0, to: FORMAT, converted: needed };
}

/** @throws UsageError where a later version has converted the table: before anything is written */
export async function requireNoLaterFormat(table: Table): Promise<void> {
  requireKnown(await readItem(table, formatKey, { parse: parseFormat }));
}

function requireKnown({ format = 0 }: Partial<FormatItem> = {}): void {
  if (format > FORMAT) throw new UsageError(`The table has format ${format}: use the version that wrote it`);
}

/** Raises the format. @returns the format before, and what has to be converted */
async function beginUpgrade(table: Table) {
  let needed: Conversion[] = [];
  const stored = await changeFormat(table, (current) => {
    requireKnown(current);
    needed = neededConversions(current, CONVERSIONS);
    const others = current?.pending.filter((one) => !needed.some((name) => name === one)) ?? [];
    return {
      format: FORMAT,
      // A later version may have raised them.
      readable_from: laterOf(current?.readable_from, CURRENT_FORMAT.readable_from),
      writable_from: laterOf(current?.writable_from, CURRENT_FORMAT.writable_from),
      pending: [...needed, ...others],
    };
  });
  return { stored, needed };
}

/** Whether instances of a version may run that may not write the table any longer, and look at its format. */
const mayRunOlder = (stored: FormatItem | undefined): boolean =>
  stored !== undefined && isOlder(stored.writable_from, CURRENT_FORMAT.writable_from);

const CONVERT: Record<Conversion, (table: Table, report: ScanReport) => Promise<void>> = {
  items: async (table, report) => {
    for await (const page of validItems(table, report)) await convertItems(table, page);
  },
  'search index': async (table) => {
    const { now } = table;
    await openBugIndex(table, bugRepository(table, now), now, true).complete();
  },
  words: (table, report) => addMissingWords(table, () => validItems(table, report)),
};
