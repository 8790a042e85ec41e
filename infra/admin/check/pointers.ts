import { isDeepStrictEqual } from 'node:util';
import { type ChangeLogItem, changeEntry } from '../../../lib/bugs/change-log/change-log.ts';
import { putBugActions } from '../../../lib/bugs/store/write-bug.ts';
import { userIndexEntry } from '../../../lib/people/user-index.ts';
import { raiseVersionAction } from '../../../lib/products/repository.ts';
import { productIndexEntry } from '../../../lib/products/schema.ts';
import type { Table } from '../../../lib/table/client.ts';
import {
  aliasKey,
  attachmentKey,
  attachmentPointerKey,
  bugKey,
  bugOfChangeKey,
  commentKey,
  commentPointerKey,
  commentRange,
  groupIdKey,
  groupKey,
  type Key,
  productIndexKey,
  productKey,
  productNameKey,
  tagKey,
  tagSuffixKeys,
  userIdKey,
  userIndexKey,
  userIndexVersionKey,
  userKey,
} from '../../../lib/table/keys.ts';
import { raiseVersion } from '../../../lib/table/range-version.ts';
import { anyItem, readFirst } from '../../../lib/table/read.ts';
import { type Check, datedRepair, findingsOf } from './finding.ts';
import { kinds, ofKind, readKind } from './item-kinds.ts';
import { pointers } from './reference-check.ts';

/**
 * Whether an entry of the change log says what it should: version 1.1.0 writes no sizes, and where it finds an entry too long
 * no values.
 */
const isSameChange = (
  { units: _, shortened, ...found }: ChangeLogItem,
  { units: __, shortened: expected, ...content }: ChangeLogItem,
): boolean => isDeepStrictEqual(found, content) && (shortened === undefined || shortened === expected);

/** Whether nothing is left of a lost product: what still refers to it is needed to restore it. */
const isWhollyGone = async (_: unknown, { pk }: Key, table: Table): Promise<boolean> =>
  (await readFirst(table, { pk }, anyItem, 1)).length === 0;

/** Whether a lost bug has no comments left, of which it could be restored. */
const hasNoComments = async (_: unknown, { pk }: Key, table: Table): Promise<boolean> =>
  (await readFirst(table, { pk, ...commentRange() }, anyItem, 1)).length === 0;

const always = () => true;

/** Users, and their entries in the user index. */
const userIndexPointers = pointers(kinds.user, kinds.userIndex, {
  targetOf: ({ login }) => userKey(login),
  pointersOf: (user) => [{ key: userIndexKey(user.id), content: userIndexEntry(user) }],
  isReplaced: always,
  // An entry is written with its user, so that a stray one says that the user was lost.
  repairsAlso: ({ id }, now) => [raiseVersion(userIndexVersionKey(id), now)],
});

/** Products, and their entries in the product index. */
const productIndexPointers = pointers(kinds.product, kinds.productIndex, {
  targetOf: ({ id }) => productKey(id),
  pointersOf: (product) => [{ key: productIndexKey(product.id), content: productIndexEntry(product) }],
  isReplaced: always,
  isRemovable: isWhollyGone,
  repairsAlso: (_, now) => [raiseVersionAction(now)],
});

/** Every item that points to another one, or repeats it, with what it points to. */
export const pointerChecks: readonly ((table: Table) => Check)[] = [
  ...userIndexPointers,
  ...productIndexPointers,
  ...pointers(kinds.group, kinds.groupId, {
    targetOf: ({ name }) => groupKey(name),
    pointersOf: ({ id, name }) => [{ key: groupIdKey(id), content: { name } }],
  }),
  ...pointers(kinds.user, kinds.userId, {
    targetOf: ({ login }) => userKey(login),
    pointersOf: ({ id, login }) => [{ key: userIdKey(id), content: { login } }],
  }),
  ...pointers(kinds.product, kinds.productName, {
    targetOf: ({ product_id }) => productKey(product_id),
    pointersOf: ({ id, name }) => [{ key: productNameKey(name), content: { product_id: id, name } }],
    isReplaced: ({ id }, { product_id }) => product_id === id,
    isRemovable: isWhollyGone,
  }),
  ...pointers(kinds.comment, kinds.commentPointer, {
    targetOf: commentKey,
    pointersOf: ({ id, bug_id, creation_time, count }) => [
      { key: commentPointerKey(id), content: { bug_id, creation_time, count } },
    ],
    // The pointer of a lost comment is its only trace, and needed to restore it.
    async isRemovable({ bug_id, count }, target, table) {
      const bugAt = await readKind(table, [bugKey(bug_id)], kinds.bug);
      const bug = bugAt(bugKey(bug_id));
      return bug === undefined ? hasNoComments(bug, target, table) : count >= bug.comment_count;
    },
  }),
  ...pointers(kinds.attachment, kinds.attachmentPointer, {
    targetOf: ({ bug_id }, { pk }) => attachmentKey(bug_id, Number(pk.split('#')[1])),
    // It is written with its attachment: a stray one says that the attachment was lost, whose data is found by it.
    pointersOf: ({ id, bug_id }) => [{ key: attachmentPointerKey(id), content: { bug_id } }],
  }),
  ...pointers(kinds.bug, kinds.alias, {
    targetOf: ({ bug_id }) => bugKey(bug_id),
    pointersOf: ({ id, aliases }) =>
      aliases.map((alias) => ({ key: aliasKey(alias), content: { bug_id: id } })),
    isRemovable: hasNoComments,
  }),
  ...pointers(kinds.bug, kinds.change, {
    targetOf: (_, key) => bugKey(bugOfChangeKey(key)),
    pointersOf: (bug) => [changeEntry(bug)],
    isSame: isSameChange,
    // Each change writes the entry anew: what further scans find of a later change is not the same violation.
    signature: (bug) => `change ${changeEntry(bug).content.change_count} of bug ${bug.id}`,
    repairOf: (bug) => datedRepair((now) => putBugActions(bug, { ...bug, revision: bug.revision + 1 }, now)),
    // Superseded ones remain until they expire.
    isFormer: ({ expires_at }) => expires_at !== undefined,
    isRemovable: hasNoComments,
  }),
  ...pointers(kinds.tag, kinds.tagSuffix, {
    targetOf: (_, { sk }) => tagKey(sk.split('#')[1] ?? ''),
    pointersOf: ({ tag }) => tagSuffixKeys(tag).map((key) => ({ key, content: {} })),
    isRemovable: always,
  }),
  formerItems,
];

/** Earlier versions found bugs by users, and by entries of catalogues, so, and noted the ids that they gave. */
function formerItems(): Check {
  const problem = (key: Key) => ({
    violation: 'is of an earlier version and not used',
    repair: [{ remove: key }],
  });
  return {
    scan: async (items) =>
      ofKind(items, kinds.formerItem).flatMap(({ key }) => findingsOf(key, [problem(key)])),
  };
}
