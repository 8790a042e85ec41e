import { userIndexEntry } from '../../../lib/people/user-index.ts';
import { raiseVersionAction } from '../../../lib/products/repository.ts';
import { productIndexEntry } from '../../../lib/products/schema.ts';
import type { Table } from '../../../lib/table/client.ts';
import { raiseVersion } from '../../../lib/table/counters.ts';
import * as keys from '../../../lib/table/keys.ts';
import type { Check } from './finding.ts';
import { kinds } from './item-kinds.ts';
import { pointers } from './reference-check.ts';

/** Every item that points to another one, or repeats it, with what it points to. */
export const pointerChecks: readonly ((table: Table) => Check)[] = [
  ...pointers(kinds.user, kinds.userIndex, {
    targetOf: ({ login }) => keys.userKey(login),
    pointersOf: (user) => [{ key: keys.userIndexKey(user.id), content: userIndexEntry(user) }],
    repairsAlso: ({ id }, now) => [raiseVersion(keys.userIndexVersionKey(id), now)],
  }),
  ...pointers(kinds.product, kinds.productIndex, {
    targetOf: ({ id }) => keys.productKey(id),
    pointersOf: (product) => [{ key: keys.productIndexKey(product.id), content: productIndexEntry(product) }],
    isRemovable: true,
    repairsAlso: (_, now) => [raiseVersionAction(now)],
  }),
  ...pointers(kinds.group, kinds.groupId, {
    targetOf: ({ name }) => keys.groupKey(name),
    pointersOf: ({ id, name }) => [{ key: keys.groupIdKey(id), content: { name } }],
  }),
  ...pointers(kinds.user, kinds.userId, {
    targetOf: ({ login }) => keys.userKey(login),
    pointersOf: ({ id, login }) => [{ key: keys.userIdKey(id), content: { login } }],
  }),
  ...pointers(kinds.product, kinds.productName, {
    targetOf: ({ product_id }) => keys.productKey(product_id),
    pointersOf: ({ id, name }) => [{ key: keys.productNameKey(name), content: { product_id: id, name } }],
    isRemovable: true,
  }),
  ...pointers(kinds.comment, kinds.commentPointer, {
    targetOf: keys.commentKey,
    pointersOf: ({ id, bug_id, creation_time, count }) => [
      { key: keys.commentPointerKey(id), content: { bug_id, creation_time, count } },
    ],
  }),
  ...pointers(kinds.attachment, kinds.attachmentPointer, {
    targetOf: ({ bug_id }, { pk }) => keys.attachmentKey(bug_id, Number(pk.split('#')[1])),
    pointersOf: ({ id, bug_id }) => [{ key: keys.attachmentPointerKey(id), content: { bug_id } }],
  }),
  ...pointers(kinds.bug, kinds.alias, {
    targetOf: ({ bug_id }) => keys.bugKey(bug_id),
    pointersOf: ({ id, aliases }) =>
      aliases.map((alias) => ({ key: keys.aliasKey(alias), content: { bug_id: id } })),
    isRemovable: true,
  }),
  ...pointers(kinds.tag, kinds.tagSuffix, {
    targetOf: (_, { sk }) => keys.tagKey(sk.split('#')[1] ?? ''),
    pointersOf: ({ tag }) => keys.tagSuffixKeys(tag).map((key) => ({ key, content: {} })),
    isRemovable: true,
  }),
];
