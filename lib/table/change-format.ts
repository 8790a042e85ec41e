import { isDeepStrictEqual } from 'node:util';
import type { Table } from './client.ts';
import { ConditionFailed } from './errors.ts';
import {
  FORMAT_CHECK_MS,
  FORMER_FORMAT,
  type FormatItem,
  type ImportState,
  isOlder,
  parseFormat,
} from './format.ts';
import { formatKey } from './keys.ts';
import { readItem } from './read.ts';
import { ABSENT, putItem, setAction, transactWriteRetrying } from './write.ts';

/** A request that began before an instance saw the format ends by then. */
const REQUEST_MS = 30_000;

/** After this time, in milliseconds, no request writes that began before the table was closed. */
export const CLOSING_MS = FORMAT_CHECK_MS + REQUEST_MS;

/** The later of two versions. @param version undefined: none */
const laterOf = (version: string | undefined, other: string): string =>
  version !== undefined && isOlder(other, version) ? version : other;

/** Refuses the table to versions before this one, for reading and writing. */
export async function refuseOlder(table: Table, version: string): Promise<void> {
  await changeFormat(table, (current = FORMER_FORMAT) => ({
    ...current,
    readable_from: laterOf(current.readable_from, version),
    writable_from: laterOf(current.writable_from, version),
  }));
}

/** The import that has closed the table; undefined: none ever did. */
export const readImportState = async (table: Table): Promise<ImportState | undefined> =>
  (await readItem(table, formatKey, { parse: parseFormat }))?.import;

/**
 * Changes the format, on the condition that it has not changed since it was read: two upgrades may run at the same time.
 *
 * @param next is called again where somebody has; current undefined: there is none
 * @returns the format before
 */
export async function changeFormat(
  table: Table,
  next: (current: FormatItem | undefined) => FormatItem,
): Promise<FormatItem | undefined> {
  for (;;) {
    const current = await readItem(table, formatKey, { parse: parseFormat });
    const changed = next(current);
    if (isDeepStrictEqual(current, changed)) return current;
    try {
      if (current === undefined) await putItem(table, { ...formatKey, ...changed }, { condition: ABSENT });
      else await transactWriteRetrying(table, [setAction(formatKey, changed, isStill(current))]);
      table.format.forget();
      return current;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
}

const isStill = ({ format, readable_from, writable_from, pending, import: begun }: FormatItem) => ({
  condition: `#format = :format AND readable_from = :readable AND writable_from = :writable AND (#pending = :pending OR attribute_not_exists(#pending)) AND ${begun === undefined ? 'attribute_not_exists(#import)' : '#import = :import'}`,
  names: { '#format': 'format', '#pending': 'pending', '#import': 'import' },
  values: {
    ':format': format,
    ':readable': readable_from,
    ':writable': writable_from,
    ':pending': pending,
    ...(begun === undefined ? {} : { ':import': begun }),
  },
});
