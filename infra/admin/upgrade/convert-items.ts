import { mapConcurrent } from '../../../lib/base/collections.ts';
import { changeEntry } from '../../../lib/bugs/change-log/change-log.ts';
import { classificationRepository } from '../../../lib/products/classification-repository.ts';
import type { Table } from '../../../lib/table/client.ts';
import { ConditionFailed } from '../../../lib/table/errors.ts';
import { bugKey, bugOfChangeKey, keyText } from '../../../lib/table/keys.ts';
import type { Item } from '../../../lib/table/read.ts';
import { deleteItem, putItem, transactWriteRetrying } from '../../../lib/table/write.ts';
import { kinds, ofKind, readKind } from '../check/item-kinds.ts';
import { productIndexPointers, userIndexPointers } from '../check/pointers.ts';

/**
 * Converts items that a version before 1.0.0 wrote: removes what is not used any more, and completes the change log, the
 * user index, the product index and classifications. Each write fails where the item was written since by this version,
 * which converts it, too.
 *
 * @param items of a page of the table that match their schemas
 */
export async function convertItems(table: Table, items: Item[]): Promise<void> {
  await mapConcurrent(ofKind(items, kinds.formerItem), ({ key }) => deleteItem(table, key));
  await convertChanges(table, items);
  await convertIndexes(table, items);
  await convertClassifications(table, items);
}

/** Entries of the change log had no values, and those of earlier changes stayed. */
async function convertChanges(table: Table, items: Item[]): Promise<void> {
  const former = ofKind(items, kinds.change).filter(({ content }) => content.change_count === undefined);
  const bugAt = await readKind(
    table,
    former.map(({ key }) => bugKey(bugOfChangeKey(key))),
    kinds.bug,
  );
  await mapConcurrent(former, async ({ key }) => {
    const bug = bugAt(bugKey(bugOfChangeKey(key)));
    // Its entry may be needed to restore it.
    if (bug === undefined) return;
    const entry = changeEntry(bug);
    const unchanged = { condition: 'attribute_not_exists(change_count)' };
    await ignoreChanged(
      keyText(entry.key) === keyText(key)
        ? putItem(table, { ...key, ...entry.content }, unchanged)
        : deleteItem(table, key, unchanged),
    );
  });
}

/** The user index had other keys, and entries of the product index no revision: what lacks its entry gets it. */
async function convertIndexes(table: Table, items: Item[]): Promise<void> {
  for (const [missing] of [userIndexPointers, productIndexPointers]) {
    await mapConcurrent(await missing(table).scan(items), async ({ repair }) => {
      if (Array.isArray(repair)) await ignoreChanged(transactWriteRetrying(table, repair));
    });
  }
}

/** Classifications had no ids. */
async function convertClassifications(table: Table, items: Item[]): Promise<void> {
  const classifications = classificationRepository(table);
  for (const { content } of ofKind(items, kinds.classification)) {
    if (content.id > 0) continue;
    const id = await classifications.allocateId(content.name);
    await ignoreChanged(classifications.put(content, { ...content, id }));
  }
}

async function ignoreChanged(write: Promise<void>): Promise<void> {
  await write.catch((error: unknown) => {
    if (!(error instanceof ConditionFailed)) throw error;
  });
}
