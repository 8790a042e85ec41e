import { productOf } from '../../../lib/changes/watches/find-watches.ts';
import type { SavedSearchesItem } from '../../../lib/people/saved-searches/validation.ts';
import { GROUP_RELATIONS } from '../../../lib/people/schema.ts';
import { UNCLASSIFIED } from '../../../lib/products/validation.ts';
import type { Key } from '../../../lib/table/keys.ts';
import * as keys from '../../../lib/table/keys.ts';
import { note, type Problem } from './finding.ts';
import { type ItemKind, kinds } from './item-kinds.ts';
import { references, userLists } from './reference-check.ts';

const missing = (key: Key): Problem => `refers to ${keys.keyText(key)}, which does not exist`;

/** What an item refers to exists. */
const exist = <T>(
  from: ItemKind<T>,
  keysOf: (content: T) => readonly Key[],
  to: ItemKind<object>,
  problem: (key: Key, content: T) => Problem = missing,
) =>
  references({
    from,
    to,
    references: (content) => keysOf(content).map((key) => ({ key, content: undefined })),
    problems: ({ content }, { key }, target) => [target === undefined && problem(key, content)],
  });

/** Groups that are named exist in the same spelling, because rights depend on it. */
const groups = <T>(from: ItemKind<T>, namesOf: (content: T) => readonly string[]) =>
  references({
    from,
    to: kinds.group,
    references: (content) => namesOf(content).map((name) => ({ key: keys.groupKey(name), content: name })),
    problems: (_, { key, content: name }, target) => [
      target === undefined && missing(key),
      target !== undefined &&
        target.name !== name &&
        `refers to the group '${name}', which is spelled '${target.name}'`,
    ],
  });

type Dependency = 'blocks' | 'depends_on';

/** A dependency on a bug that exists is one of both. @param says what one bug does, and what the other one does not */
const dependencies = (from: Dependency, to: Dependency, says: { one: string; other: string }) =>
  references({
    from: kinds.bug,
    to: kinds.bug,
    references: (bug) => bug[from].map((id) => ({ key: keys.bugKey(id), content: id })),
    problems: ({ content: { id } }, { content: other }, found) => [
      found?.[to].includes(id) === false && `${says.one} bug ${other}, which does not ${says.other} it`,
    ],
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
  exist(
    kinds.comment,
    ({ bug_id, attachment_id: id }) => (id === null ? [] : [keys.attachmentKey(bug_id, id)]),
    kinds.attachment,
    (_, { attachment_id }) => note(`is about attachment ${attachment_id}, which does not exist`),
  ),
  dependencies('blocks', 'depends_on', { one: 'blocks', other: 'depend on' }),
  dependencies('depends_on', 'blocks', { one: 'depends on', other: 'block' }),
  exist(
    kinds.bug,
    ({ dupe_of }) => (dupe_of === null ? [] : [keys.bugKey(dupe_of)]),
    kinds.bug,
    (_, { dupe_of }) => note(`is a duplicate of bug ${dupe_of}, which does not exist`),
  ),
];

/** The groups that a user shares searches with, once for each search. */
const sharedWith = ({ searches }: SavedSearchesItem) => searches.flatMap(({ group_id }) => group_id ?? []);

/** Saved searches are of users who exist, and shared with groups that exist; of each group it is known who shares some with it. */
export const savedSearchChecks = [
  exist(
    kinds.savedSearches,
    ({ user_id, searches }) => (searches.length === 0 ? [] : [keys.userIdKey(user_id)]),
    kinds.userId,
  ),
  exist(kinds.savedSearches, (own) => sharedWith(own).map(keys.groupIdKey), kinds.groupId),
  userLists(kinds.savedSearches, kinds.sharers, 'share searches with the group', (own) =>
    [...new Set(sharedWith(own))].map((group_id) => ({
      key: keys.sharersKey(group_id),
      content: { group_id },
    })),
  ),
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
  userLists(kinds.watches, kinds.watchers, 'watch it', ({ watched }) =>
    watched.map(({ kind, id }) => ({ key: keys.watchersKey({ kind, id }), content: { kind, id } })),
  ),
];
