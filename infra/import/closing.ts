import { portions } from '../../lib/base/collections.ts';
import { timestamp } from '../../lib/base/time.ts';
import { bugRepository } from '../../lib/bugs/store/repository.ts';
import { openBugIndex } from '../../lib/search/index/bug-index.ts';
import { type BugIndexView, bugsOf } from '../../lib/search/index/view.ts';
import { CLOSING_MS, changeFormat, readImportState } from '../../lib/table/change-format.ts';
import type { Table } from '../../lib/table/client.ts';
import { lastId } from '../../lib/table/counters.ts';
import { FORMER_FORMAT, type ImportState } from '../../lib/table/format.ts';
import { UsageError } from '../admin/context.ts';
import type { ImportFile } from './import-file.ts';

/** What an import does to a table beside writing to it. */
export interface ClosingOptions {
  /** open the table for writes at the end */
  final: boolean;
  /** close a table that is open, though it has bugs */
  close: boolean;
  /** copy beside bugs that no import has written, and leave the table as open as it is */
  into: boolean;
}

const HOW_TO = `Nothing was changed. Use
  --into   to copy beside what the table has: collisions are listed, nothing is replaced, and requests go on writing
  --close  to refuse requests that write from now on until --final, where an import has written all bugs of the table`;

/** What an import finds when it begins. */
export interface Closing {
  /** whether it has to close the table */
  isNeeded: boolean;
  /** whether all that the table has must be of an earlier import */
  needsOwnBugs: boolean;
}

/**
 * Decides whether an import may begin, and closes the table. Writes nothing.
 *
 * @param source the URL of the Bugzilla
 * @throws UsageError where the table is in use, or closed for another import
 */
export async function planClosing(
  table: Table,
  source: string,
  { final, close, into }: ClosingOptions,
): Promise<Closing> {
  const begun = await readImportState(table);
  if (begun?.state === 'closed') {
    if (begun.source === source || into) return { isNeeded: false, needsOwnBugs: false };
    throw new UsageError(
      `The table is closed for the import from ${begun.source}, which began at ${begun.since}. Nothing was changed. End it with --final or --abandon first`,
    );
  }
  const isEmpty = (await bugIds(table)).length === 0;
  const isNeeded = close || (isEmpty && !into);
  if (final && !isNeeded) {
    throw new UsageError(
      '--final opens a table that an import has closed: this one is open. Nothing was changed',
    );
  }
  if (isEmpty || into || close) return { isNeeded, needsOwnBugs: !isEmpty && !into };
  const why =
    begun === undefined
      ? 'The table has bugs, and no import has closed it'
      : `The import from ${begun.source} has ended (${begun.state}), and the table is in use`;
  throw new UsageError(`${why}. ${HOW_TO}`);
}

/**
 * Refuses a table that has bugs, comments or attachments that are not in the file of the import.
 *
 * @throws UsageError naming some of them
 */
export async function requireOwnBugs(table: Table, file: ImportFile): Promise<void> {
  const comments = new Map<number, number>();
  for await (const bug of file.bugs(new Set(file.known.keys())))
    comments.set(bug.id ?? 0, bug.comments.length);
  const foreign: number[] = [];
  for (const ids of portions(await bugIds(table), { max: 100 })) {
    const stored = await bugRepository(table, table.now).byIds(ids);
    for (const { id, comment_count, attachment_count = 0 } of stored.values()) {
      const attachments = file.known.get(id)?.attachments ?? 0;
      if (comment_count > (comments.get(id) ?? 0) || attachment_count > attachments) foreign.push(id);
    }
  }
  if (foreign.length === 0) return;
  const shown = foreign
    .sort((a, b) => a - b)
    .slice(0, MAX_SHOWN)
    .join(', ');
  const more = foreign.length > MAX_SHOWN ? ', …' : '';
  throw new UsageError(
    `${foreign.length} bugs of the table, or comments or attachments of them, are not in the file of the import (--keep): ${shown}${more}. ${HOW_TO}`,
  );
}

const MAX_SHOWN = 20;

/**
 * Closes the table for requests that write.
 *
 * @returns milliseconds until every process has seen it; 0 where no user could write
 * @throws UsageError where another import has closed it at the same time
 */
export async function closeTable(table: Table, source: string): Promise<number> {
  const since = timestamp(table.now());
  await changeImport(table, (begun) => {
    if (begun?.state !== 'closed') return { source, since, state: 'closed' };
    if (begun.source === source) return begun;
    throw new UsageError(`The table was closed for the import from ${begun.source} at the same time`);
  });
  return (await lastId(table, 'user')) === 0 ? 0 : CLOSING_MS;
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

/** The bugs of the table. */
async function bugIds(table: Table): Promise<number[]> {
  // Without a bug there is no search index.
  if ((await lastId(table, 'bug')) === 0) return [];
  const index = openBugIndex(table, bugRepository(table, table.now), table.now, false);
  const view: BugIndexView = await index.read(() => true);
  return Array.from(bugsOf(view), ({ id }) => id);
}
