import { isDeepStrictEqual } from 'node:util';
import { mapConcurrent } from '../../../lib/base/collections.ts';
import { changeEntry } from '../../../lib/bugs/change-log/change-log.ts';
import { atRevision } from '../../../lib/people/account-repository.ts';
import { userIndexActions, userIndexEntry } from '../../../lib/people/user-index.ts';
import { classificationRepository } from '../../../lib/products/classification-repository.ts';
import { productIndexActions } from '../../../lib/products/repository.ts';
import { productIndexEntry } from '../../../lib/products/schema.ts';
import type { Table } from '../../../lib/table/client.ts';
import { ConditionFailed } from '../../../lib/table/errors.ts';
import {
  bugKey,
  bugOfChangeKey,
  keyText,
  productIndexKey,
  productKey,
  userIndexKey,
  userKey,
} from '../../../lib/table/keys.ts';
import type { Item } from '../../../lib/table/read.ts';
import { type Action, deleteItem, putItem, transactWriteRetrying } from '../../../lib/table/write.ts';
import { kinds, ofKind, readKind } from '../check/item-kinds.ts';

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
  await convertUsers(table, items);
  await convertProducts(table, items);
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

/** The user index had other keys. */
async function convertUsers(table: Table, items: Item[]): Promise<void> {
  const users = ofKind(items, kinds.user).map(({ content }) => content);
  const entryAt = await readKind(
    table,
    users.map(({ id }) => userIndexKey(id)),
    kinds.userIndex,
  );
  await mapConcurrent(users, async ({ revision, ...user }) => {
    if (isDeepStrictEqual(entryAt(userIndexKey(user.id)), userIndexEntry(user))) return;
    const check: Action = { check: userKey(user.login), ...atRevision(revision) };
    const actions = userIndexActions([{ before: undefined, after: user }], table.now());
    await ignoreChanged(transactWriteRetrying(table, [...actions, check]));
  });
}

/** Entries of the product index had no revision. */
async function convertProducts(table: Table, items: Item[]): Promise<void> {
  const products = ofKind(items, kinds.product).map(({ content }) => content);
  const entryAt = await readKind(
    table,
    products.map(({ id }) => productIndexKey(id)),
    kinds.productIndex,
  );
  await mapConcurrent(products, async (product) => {
    if (isDeepStrictEqual(entryAt(productIndexKey(product.id)), productIndexEntry(product))) return;
    const check: Action = { check: productKey(product.id), ...atRevision(product.revision) };
    const actions = productIndexActions([{ before: undefined, after: product }], table.now());
    await ignoreChanged(transactWriteRetrying(table, [...actions, check]));
  });
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
