import { timestamp } from '../../lib/base/time.ts';
import { changeEntry } from '../../lib/bugs/change-log/change-log.ts';
import { type BugItem, bugItem } from '../../lib/bugs/schema.ts';
import type { Table } from '../../lib/table/client.ts';
import { bugKey } from '../../lib/table/keys.ts';
import { readItem } from '../../lib/table/read.ts';
import { batchWrite } from '../../lib/table/write.ts';

/**
 * Writes copies of bug 1 without its comments, as far as searches read them: faster than creating bugs.
 *
 * @param ids of the copies
 * @param fields that they have instead
 */
export async function copyBug(table: Table, ids: number[], fields: Partial<BugItem> = {}): Promise<void> {
  const bug = await readItem(table, bugKey(1), bugItem);
  if (bug === undefined) throw new Error('Bug 1 is missing');
  // Searches read the log from a while ago on: what is logged at an earlier time they may not see.
  const logged_at = timestamp(table.now());
  const items = ids.flatMap((id) => {
    const copy = { ...bug, aliases: [], logged_at, ...fields, id };
    const { key, content } = changeEntry(copy);
    return [
      { ...bugKey(id), ...copy },
      { ...key, ...content },
    ];
  });
  await batchWrite(table, items);
}
