import { bugRepository } from '../../lib/bugs/store/repository.ts';
import { openBugIndex } from '../../lib/search/index/bug-index.ts';
import type { Table } from '../../lib/table/client.ts';

/** Writes all bugs of a table into segments of the search index. */
export async function completeIndex(table: Table, now = () => new Date()): Promise<void> {
  await openBugIndex(table, bugRepository(table, now), now, true).complete(0);
}
