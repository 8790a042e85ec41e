import type { BugItem } from '../../../lib/bugs/schema.ts';
import { GROUP_RELATIONS } from '../../../lib/people/schema.ts';
import { UNCLASSIFIED } from '../../../lib/products/validation.ts';
import {
  attachmentKey,
  bugKey,
  classificationKey,
  groupKey,
  type Key,
  keyText,
  keywordKey,
} from '../../../lib/table/keys.ts';
import type { Problem } from './finding.ts';
import { type ItemKind, kinds } from './item-kinds.ts';
import { references } from './reference-check.ts';

/** What is named exists; groups in the same spelling, because rights depend on it. */
const names = <T>(
  from: ItemKind<T>,
  namesOf: (content: T) => readonly string[],
  to: ItemKind<{ name: string }>,
  keyOf: (name: string) => Key,
) =>
  references({
    from,
    to,
    references: (content) => namesOf(content).map((name) => ({ key: keyOf(name), content: name })),
    problems: (_, { key, content: name }, target) => [
      target === undefined && `refers to ${keyText(key)}, which does not exist`,
      target !== undefined &&
        keyOf === groupKey &&
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
    references: (bug) => idsOf(bug).map((id) => ({ key: bugKey(id), content: id })),
    problems: ({ content: bug }, { content: id }, other) => [problem(bug, id, other)],
  });

/** References by names and by the ids of bugs. Dependencies on missing bugs are allowed, others are symmetric. */
export const referenceChecks = [
  names(kinds.user, ({ groups, bless_groups = [] }) => [...groups, ...bless_groups], kinds.group, groupKey),
  names(
    kinds.group,
    (group) => GROUP_RELATIONS.flatMap((relation) => group[relation] ?? []),
    kinds.group,
    groupKey,
  ),
  names(kinds.bug, ({ groups }) => groups, kinds.group, groupKey),
  names(kinds.product, (product) => product.group_controls.map(({ group }) => group), kinds.group, groupKey),
  names(kinds.bug, ({ keywords }) => keywords, kinds.keyword, keywordKey),
  names(
    kinds.product,
    ({ classification }) => (classification === UNCLASSIFIED ? [] : [classification]),
    kinds.classification,
    classificationKey,
  ),
  references({
    from: kinds.comment,
    to: kinds.attachment,
    references: ({ bug_id, attachment_id }) =>
      attachment_id === null ? [] : [{ key: attachmentKey(bug_id, attachment_id), content: attachment_id }],
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
