import { portions } from '../../base/collections.ts';
import type { Table } from '../../table/client.ts';
import { aliasKey, attachmentPartKey, bugKey, bugPartition } from '../../table/keys.ts';
import { anyItem, readRange } from '../../table/read.ts';
import {
  type Action,
  deleteItem,
  MAX_TRANSACTION_ACTIONS,
  transactWriteRetrying,
} from '../../table/write.ts';
import { attachmentItem } from '../attachments/schema.ts';
import { removedFromLog } from '../change-log/change-log.ts';
import { tagRepository } from '../comment-tags/repository.ts';
import { commentItem } from '../comments/schema.ts';
import { bugItem } from '../schema.ts';
import { removeActions } from '../store/bulk-repository.ts';

/**
 * Removes a bug with all that belongs to it, for an import into a table that takes no writes: no request does. An interrupted call is
 * completed by the same call. The search index has the bug until it is rebuilt; words of its comments stay, as they only ever
 * claim too much.
 */
export async function removeBug(table: Table, id: number): Promise<void> {
  const items = await readRange(table, { pk: bugPartition(id) }, anyItem);
  const tags = tagRepository(table);
  for (const item of items.filter(({ sk }) => sk.startsWith('COMMENT#'))) {
    const comment = commentItem.parse(item);
    await tags.changeAll(comment, [], comment.tags);
  }
  const stored = items.find(({ sk }) => sk === bugKey(id).sk);
  if (stored !== undefined) {
    const bug = bugItem.parse(stored);
    await write(table, [
      { remove: bugKey(id) },
      { remove: removedFromLog(bug) },
      ...bug.aliases.map(
        (alias): Action => ({
          remove: aliasKey(alias),
          condition: 'attribute_not_exists(pk) OR bug_id = :bug',
          values: { ':bug': id },
        }),
      ),
    ]);
  }
  for (const item of items.filter(({ sk }) => sk.startsWith('ATTACHMENT#'))) {
    const attachment = attachmentItem.parse(item);
    for (let part = 0; part < attachment.parts; part += 1) {
      await deleteItem(table, attachmentPartKey(attachment.id, part));
    }
  }
  await write(table, items.filter(({ sk }) => sk !== bugKey(id).sk).flatMap(removeActions));
}

async function write(table: Table, actions: readonly Action[]): Promise<void> {
  // An item and its pointer may be in two transactions: the same call removes what is left.
  for (const some of portions(actions, { max: MAX_TRANSACTION_ACTIONS }))
    await transactWriteRetrying(table, some);
}
