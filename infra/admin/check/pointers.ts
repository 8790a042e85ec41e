import { isDeepStrictEqual } from 'node:util';
import { type ChangeLogItem, changeEntry } from '../../../lib/bugs/change-log/change-log.ts';
import { commentRepository } from '../../../lib/bugs/comments/repository.ts';
import { putBugActions, unchanged } from '../../../lib/bugs/store/write-bug.ts';
import { atRevision } from '../../../lib/people/account-repository.ts';
import { userIndexEntry } from '../../../lib/people/user-index.ts';
import { raiseVersionAction } from '../../../lib/products/repository.ts';
import { type ProductIndexEntry, type ProductItem, productIndexEntry } from '../../../lib/products/schema.ts';
import type { Table } from '../../../lib/table/client.ts';
import {
  aliasKey,
  attachmentKey,
  attachmentPointerKey,
  bugKey,
  bugOfChangeKey,
  commentKey,
  commentPointerKey,
  groupIdKey,
  groupKey,
  keyText,
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
import { anyItem, readRange } from '../../../lib/table/read.ts';
import { PRESENT } from '../../../lib/table/write.ts';
import { datedRepair } from './finding.ts';
import { kinds, readKind } from './item-kinds.ts';
import { pointers } from './reference-check.ts';

/**
 * Whether an entry of the change log says what it should: version 1.1.0 writes no sizes, and where it finds an entry too long
 * no values.
 */
const isSameChange = (
  { units: _, shortened, ...found }: ChangeLogItem,
  { units: __, shortened: expected, ...content }: ChangeLogItem,
): boolean => isDeepStrictEqual(found, content) && (shortened === undefined || shortened === expected);

/** Every item that points to another one, or repeats it, with what it points to. */
export const pointerChecks = [
  ...pointers({
    target: kinds.group,
    pointer: kinds.groupId,
    targetOf: ({ name }) => groupKey(name),
    pointersOf: ({ id, name }) => [{ key: groupIdKey(id), content: { name } }],
    unchanged: hasId,
    missing: ({ name }) => `is missing; the group '${name}' has this id`,
    different: ({ name }, found) => `points to '${found.name}'; '${name}' has the same id`,
    stray: ({ name }) => `points to the group '${name}', which does not have this id`,
  }),
  ...pointers({
    target: kinds.user,
    pointer: kinds.userId,
    targetOf: ({ login }) => userKey(login),
    pointersOf: ({ id, login }) => [{ key: userIdKey(id), content: { login } }],
    unchanged: ({ revision }) => atRevision(revision),
    missing: ({ login }) => `is missing; '${login}' has this id`,
    different: ({ login }, found) => `points to '${found.login}'; '${login}' has the same id`,
    stray: ({ login }) => `points to '${login}', who does not exist or has another id`,
  }),
  ...pointers({
    target: kinds.user,
    pointer: kinds.userIndex,
    targetOf: ({ login }) => userKey(login),
    pointersOf: (user) => [{ key: userIndexKey(user.id), content: userIndexEntry(user) }],
    unchanged: ({ revision }) => atRevision(revision),
    missing: ({ login }) => `differs from the user '${login}'`,
    different: ({ login }) => `differs from the user '${login}'`,
    isReplaced: () => true,
    // It is written with its user, so the user was lost.
    stray: () => 'its user does not exist',
    repairsAlso: ({ id }, now) => [raiseVersion(userIndexVersionKey(id), now)],
  }),
  ...pointers({
    target: kinds.product,
    pointer: kinds.productName,
    targetOf: ({ product_id }) => productKey(product_id),
    pointersOf: ({ id, name }) => [{ key: productNameKey(name), content: { product_id: id, name } }],
    unchanged: hasRevision,
    missing: ({ id }) => `is missing; product ${id} has this name`,
    different: ({ id, name }, found) =>
      `points to product ${found.product_id} as '${found.name}'; product ${id} is named '${name}'`,
    isReplaced: ({ id }, { product_id }) => product_id === id,
    stray: ({ product_id }, product) =>
      `points to product ${product_id}, which ${product === undefined ? 'does not exist' : `is named '${product.name}'`}`,
    removal: { isKept: ({ product_id }, table) => isLostProduct(product_id, table) },
  }),
  ...pointers({
    target: kinds.product,
    pointer: kinds.productIndex,
    targetOf: ({ id }) => productKey(id),
    pointersOf: (product) => [{ key: productIndexKey(product.id), content: productIndexEntry(product) }],
    unchanged: hasRevision,
    missing: (_, expected) => `contains nothing, expected ${JSON.stringify(expected)}`,
    different: (_, found, expected) =>
      `contains ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`,
    signature: (_, found, { content }) => `differs in ${differingPart(found, content)}`,
    isReplaced: () => true,
    stray: ({ id }) => `points to product ${id}, which does not exist`,
    removal: { isKept: ({ id }, table) => isLostProduct(id, table) },
    repairsAlso: (_, now) => [raiseVersionAction(now)],
  }),
  ...pointers({
    target: kinds.comment,
    pointer: kinds.commentPointer,
    targetOf: commentKey,
    pointersOf: ({ id, bug_id, creation_time, count }) => [
      { key: commentPointerKey(id), content: { bug_id, creation_time, count } },
    ],
    unchanged: hasId,
    missing: (comment) => `is missing; the comment is at ${keyText(commentKey(comment))}`,
    different: (comment, found) =>
      `points to ${keyText(commentKey(found))}; a comment with this id is at ${keyText(commentKey(comment))}`,
    stray: (pointer, comment) =>
      `points to ${keyText(commentKey(pointer))}, which ${comment === undefined ? 'does not exist' : `is comment ${comment.id}`}`,
    removal: {
      unchanged: ({ bug_id, creation_time }) => ({
        condition: 'bug_id = :bug AND creation_time = :time',
        values: { ':bug': bug_id, ':time': creation_time },
      }),
      // The pointer of a lost comment is its only trace, and needed to restore it.
      async isKept({ bug_id, count }, table) {
        const bugAt = await readKind(table, [bugKey(bug_id)], kinds.bug);
        return count < (bugAt(bugKey(bug_id))?.comment_count ?? 0);
      },
    },
  }),
  ...pointers({
    target: kinds.attachment,
    pointer: kinds.attachmentPointer,
    targetOf: ({ bug_id }, { pk }) => attachmentKey(bug_id, Number(pk.split('#')[1])),
    pointersOf: ({ id, bug_id }) => [{ key: attachmentPointerKey(id), content: { bug_id } }],
    unchanged: hasId,
    missing: ({ id, bug_id }) => `is missing; attachment ${id} is on bug ${bug_id}`,
    different: ({ id, bug_id }, found) =>
      `points to bug ${found.bug_id}; attachment ${id} is on bug ${bug_id}`,
    // It is written with its attachment, so the attachment was lost, whose data is found by it.
    stray: ({ bug_id }) => `points to bug ${bug_id}, which does not have this attachment`,
  }),
  ...pointers({
    target: kinds.bug,
    pointer: kinds.alias,
    targetOf: ({ bug_id }) => bugKey(bug_id),
    pointersOf: ({ id, aliases }) =>
      aliases.map((alias) => ({ key: aliasKey(alias), content: { bug_id: id } })),
    unchanged,
    missing: ({ id }) => `is missing; bug ${id} has this alias`,
    different: ({ id }, found) => `points to bug ${found.bug_id}; bug ${id} has the same alias`,
    stray: ({ bug_id }, bug) =>
      `points to bug ${bug_id}, which ${bug === undefined ? 'does not exist' : 'does not have this alias'}`,
    removal: { unchanged: pointsToBug, isKept: ({ bug_id }, table) => isLostBug(bug_id, table) },
  }),
  ...pointers({
    target: kinds.bug,
    pointer: kinds.change,
    targetOf: (_, key) => bugKey(bugOfChangeKey(key)),
    pointersOf: (bug) => [changeEntry(bug)],
    isSame: isSameChange,
    unchanged,
    missing: ({ id }) => `is missing; it has the last change of bug ${id}`,
    different: ({ id }) => `differs from bug ${id}`,
    // Each change writes the entry anew: what further scans find of a later change is not the same violation.
    signature: (bug) => `change ${changeEntry(bug).content.change_count} of bug ${bug.id}`,
    repairOf: (bug) => datedRepair((now) => putBugActions(bug, { ...bug, revision: bug.revision + 1 }, now)),
    stray: (_, bug, key) =>
      `points to bug ${bugOfChangeKey(key)}, which ${bug === undefined ? 'does not exist' : 'was changed at another time'}`,
    // Superseded ones remain until they expire.
    isFormer: (_, __, { expires_at }) => expires_at !== undefined,
    removal: { isKept: (_, table, key) => isLostBug(bugOfChangeKey(key), table) },
  }),
  // Earlier versions found bugs by users, and by entries of catalogues, so.
  ...pointers({
    target: kinds.bug,
    pointer: kinds.formerItem,
    targetOf: ({ bug_id }) => bugKey(bug_id),
    pointersOf: () => [],
    unchanged,
    stray: () => 'is of an earlier version and not used',
    removal: {},
  }),
  ...pointers({
    target: kinds.tag,
    pointer: kinds.tagSuffix,
    targetOf: (_, { sk }) => tagKey(tagOfSuffix(sk)),
    pointersOf: ({ tag }) => tagSuffixKeys(tag).map((key) => ({ key, content: {} })),
    unchanged: () => ({ condition: PRESENT }),
    missing: ({ tag }) => `is missing; the tag '${tag}' has this suffix`,
    stray: (_, __, key) => {
      const tag = tagOfSuffix(key.sk);
      const isSuffix = tagSuffixKeys(tag).some((suffix) => keyText(suffix) === keyText(key));
      return isSuffix
        ? `is a suffix of the tag '${tag}', which is not in use`
        : `is not a suffix of '${tag}'`;
    },
    removal: {},
  }),
];

/** Whether a bug that does not exist has left comments: what still refers to it is needed to restore it. */
const isLostBug = async (id: number, table: Table): Promise<boolean> =>
  (await commentRepository(table).description(id)) !== undefined;

/** Whether a product that does not exist has left parts. */
const isLostProduct = async (id: number, table: Table): Promise<boolean> =>
  (await readRange(table, { pk: productKey(id).pk }, anyItem)).length > 0;

function hasId({ id }: { id: number }) {
  return { condition: 'id = :id', values: { ':id': id } };
}

function hasRevision({ revision }: Pick<ProductItem, 'revision'>) {
  return { condition: 'revision = :read', values: { ':read': revision } };
}

function pointsToBug({ bug_id }: { bug_id: number }) {
  return { condition: 'bug_id = :id', values: { ':id': bug_id } };
}

function tagOfSuffix(sk: string): string {
  return sk.split('#')[1] ?? '';
}

/** A product that is renamed during each scan differs by another name each time: that is no violation. */
function differingPart(found: ProductIndexEntry | undefined, expected: ProductIndexEntry): string {
  if (found === undefined) return 'everything';
  if (found.name !== expected.name) return `the name ${expected.name}`;
  return isDeepStrictEqual(found.group_controls, expected.group_controls)
    ? `takes_bugs: ${expected.takes_bugs}`
    : 'group_controls';
}
