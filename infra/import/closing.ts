import { timestamp } from '../../lib/base/time.ts';
import { CLOSING_MS, changeFormat, readImportState } from '../../lib/table/change-format.ts';
import type { Table } from '../../lib/table/client.ts';
import { lastId } from '../../lib/table/counters.ts';
import { FORMER_FORMAT, type ImportState } from '../../lib/table/format.ts';
import { UsageError } from '../admin/context.ts';

/**
 * Closes a table for requests that write, for an import that makes it equal to its source.
 *
 * @param source the address of the database
 * @param again replace the content of a table in use
 * @returns milliseconds until every process refuses requests that write; 0 where no user could
 * @throws UsageError where the table is in use, or closed for another import
 */
export async function closeTable(table: Table, source: string, again: boolean): Promise<number> {
  const isUsed = (await lastId(table, 'bug')) > 0;
  const since = timestamp(table.now());
  let isClosed = false;
  await changeImport(table, (begun) => {
    isClosed = begun?.state === 'closed';
    if (begun?.state === 'closed') {
      if (begun.source === source) return begun;
      throw new UsageError(
        `The table is closed for the import from ${begun.source}, which began at ${begun.since}. Nothing was changed. End it with --final or --abandon first`,
      );
    }
    if (isUsed && !again) {
      const why = begun === undefined ? '' : `: the import from ${begun.source} has ended (${begun.state})`;
      throw new UsageError(
        `The table is in use${why}. Nothing was changed. An import replaces all that a table has: use a table without bugs, or --again, which loses what was written here`,
      );
    }
    return { source, since, state: 'closed' };
  });
  return isClosed || (await lastId(table, 'user')) === 0 ? 0 : CLOSING_MS;
}

/**
 * Opens the table for requests that write. Processes see it within a minute.
 *
 * @throws UsageError where this import has not closed it
 */
export async function openTableAgain(
  table: Table,
  source: string,
  state: 'final' | 'abandoned',
): Promise<void> {
  await changeImport(table, (begun) => {
    if (begun?.state === 'closed' && begun.source === source) return { ...begun, state };
    const whose = begun?.state === 'closed' ? `closed for the import from ${begun.source}` : 'open';
    throw new UsageError(`The table is ${whose}. Nothing was changed`);
  });
}

/** Whether an import has closed the table. */
export async function isClosedFor(table: Table, source: string): Promise<boolean> {
  const begun = await readImportState(table);
  return begun?.state === 'closed' && begun.source === source;
}

const changeImport = (table: Table, next: (begun: ImportState | undefined) => ImportState) =>
  changeFormat(table, (current = FORMER_FORMAT) => ({ ...current, import: next(current.import) }));
