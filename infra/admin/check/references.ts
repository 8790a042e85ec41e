import type { BugItem } from '../../../lib/bugs/schema.ts';
import { productOf } from '../../../lib/changes/watches/find-watches.ts';
import { GROUP_RELATIONS } from '../../../lib/people/schema.ts';
import { UNCLASSIFIED } from '../../../lib/products/validation.ts';
import type { Key } from '../../../lib/table/keys.ts';
import * as keys from '../../../lib/table/keys.ts';
import type { Problem } from './finding.ts';
import { type ItemKind, kinds } from './item-kinds.ts';
import { references, userLists } from './reference-check.ts';

/** What an item refers to exists. */
const exist = <T>(from: ItemKind<T>, keysOf: (content: T) => readonly Key[], to: ItemKind<object>) =>
  references({
    from,
    to,
    references: (content) => keysOf(content).map((key) => ({ key, content: undefined })),
    problems: (_, { key }, target) => [
      target === undefined && `refers to ${keys.keyText(key)}, which does not exist`,
    ],
  });

/** Groups that are named exist in the same spelling, because rights depend on it. */
const groups = <T>(from: ItemKind<T>, namesOf: (content: T) => readonly string[]) =>
  references({
    from,
    to: kinds.group,
    references: (content) => namesOf(content).map((name) => ({ key: keys.groupKey(name), content: name })),
    problems: (_, { key, content: name }, target) => [
      target === undefined && `refers to ${keys.keyText(key)}, which does not exist`,
      target !== undefined &&
        target.name !== name &&
        `refers to the group '${name}', which is spelled '${target.name}'`,
    ],
  });

const bugs = (
  idsOf: (bug: BugItem) => readonly number[],
  problem: (bug: BugItem, id: number, other: BugItem | undefined) => Problem,
) =>
  references({
    from: kinds.bug,
    to: kinds.bug,
    references: (bug) => idsOf(bug).map((id) => ({ key: keys.bugKey(id), content: id })),
    problems: ({ content: bug }, { content: id }, other) => [problem(bug, id, other)],
  });

/** References by names and by the ids of bugs. Dependencies on missing bugs are allowed, others are symmetric. */
export const referenceChecks = [
  groups(kinds.user, ({ groups, bless_groups = [] }) => [...groups, ...bless_groups]),
  groups(kinds.group, (group) => GROUP_RELATIONS.flatMap((relation) => group[relation] ?? [])),
  groups(kinds.bug, ({ groups }) => groups),
  groups(kinds.product, (product) => product.group_controls.map(({ group }) => group)),
  exist(kinds.bug, ({ keywords }) => keywords.map(keys.keywordKey), kinds.keyword),
  exist(
    kinds.product,
    ({ classification: name }) => (name === UNCLASSIFIED ? [] : [keys.classificationKey(name)]),
    kinds.classification,
  ),
  references({
    from: kinds.comment,
    to: kinds.attachment,
    references: ({ bug_id, attachment_id }) =>
      attachment_id === null
        ? []
        : [{ key: keys.attachmentKey(bug_id, attachment_id), content: attachment_id }],
    problems: (_, { content: id }, attachment) => [
      attachment === undefined && {
        violation: `is about attachment ${id}, which does not exist`,
        isNote: true,
      },
    ],
  }),
  bugs(
    ({ blocks }) => blocks,
    ({ id }, other, found) =>
      found?.depends_on.includes(id) === false && `blocks bug ${other}, which does not depend on it`,
  ),
  bugs(
    ({ depends_on }) => depends_on,
    ({ id }, other, found) =>
      found?.blocks.includes(id) === false && `depends on bug ${other}, which does not block it`,
  ),
  bugs(
    ({ dupe_of }) => (dupe_of === null ? [] : [dupe_of]),
    (_, original, found) =>
      found === undefined && {
        violation: `is a duplicate of bug ${original}, which does not exist`,
        isNote: true,
      },
  ),
];

/** Saved searches are of users who exist, and shared with groups that exist; of each group it is known who shares some with it. */
export const savedSearchChecks = [
  exist(
    kinds.savedSearches,
    ({ user_id, searches }) => (searches.length === 0 ? [] : [keys.userIdKey(user_id)]),
    kinds.userId,
  ),
  exist(
    kinds.savedSearches,
    ({ searches }) => searches.flatMap(({ group_id }) => group_id ?? []).map(keys.groupIdKey),
    kinds.groupId,
  ),
  userLists(kinds.savedSearches, kinds.sharers, {
    listsOf: ({ searches }) =>
      [...new Set(searches.flatMap(({ group_id }) => group_id ?? []))].map((group_id) => ({
        key: keys.sharersKey(group_id),
        content: { group_id },
      })),
    has: 'share searches with the group',
  }),
];

/** Users who watch something exist, as does what they watch; and of each user, product and component it is known who watches it. */
export const watchChecks = [
  exist(
    kinds.watches,
    ({ user_id, watched }) => [
      ...(watched.length === 0 ? [] : [keys.userIdKey(user_id)]),
      ...watched.flatMap(({ kind, id }) => (kind === 'user' ? [keys.userIdKey(id)] : [])),
    ],
    kinds.userId,
  ),
  exist(
    kinds.watches,
    ({ watched }) => watched.flatMap((one) => (one.kind === 'user' ? [] : [keys.productKey(productOf(one))])),
    kinds.product,
  ),
  userLists(kinds.watches, kinds.watchers, {
    listsOf: ({ watched }) =>
      watched.map(({ kind, id }) => ({ key: keys.watchersKey({ kind, id }), content: { kind, id } })),
    has: 'watch it',
  }),
];
