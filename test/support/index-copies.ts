import { indexedBugOf } from '../../lib/bugs/change-log/indexed-bug.ts';
import { type BugItem, bugItem } from '../../lib/bugs/schema.ts';
import { searchIndexRepository } from '../../lib/search/index/repository.ts';
import { rangesOf } from '../../lib/search/index/write-segments.ts';
import type { Table } from '../../lib/table/client.ts';
import { bugKey } from '../../lib/table/keys.ts';
import { readItem } from '../../lib/table/read.ts';
import { batchWrite } from '../../lib/table/write.ts';

/**
 * Writes the segments of a search index that has copies of bug 1, in the place of one that is empty: thousands of bugs take
 * a few items.
 *
 * @param ids of the copies, in ascending order
 * @param fields that they have instead
 * @param stored how many of them the table has, too: the first ones
 */
export async function indexCopies(
  table: Table,
  ids: readonly number[],
  fields: Partial<BugItem> = {},
  stored = ids.length,
): Promise<void> {
  const bug = bugItem.parse(await readItem(table, bugKey(1), bugItem));
  const copies = ids.map((id) => ({ ...bug, aliases: [], ...fields, id }));
  const index = searchIndexRepository(table, () => new Date());
  const ranges = await rangesOf(0, copies.map(indexedBugOf), index.addSegment);
  await index.replaceManifest(await index.readManifest(), { since: '', ranges, recent: [] });
  await batchWrite(
    table,
    copies.slice(0, stored).map((copy) => ({ ...bugKey(copy.id), ...copy })),
  );
}
