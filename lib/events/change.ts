import * as z from 'zod/mini';
import { createdAttachmentOf } from '../attachments/presenter.ts';
import { type AttachmentRepository, attachmentRepository } from '../attachments/repository.ts';
import type { AttachmentItem } from '../attachments/schema.ts';
import { recordAttributes } from '../bugs/change-log/change-record.ts';
import type { LoggedChange } from '../bugs/change-log/logged-change.ts';
import type { BugFields } from '../bugs/fields/registry.ts';
import { type BugItem, type FieldChange, type HistoryItem, historyItem } from '../bugs/schema.ts';
import { isOfBug } from '../bugs/store/history.ts';
import { type BugRepository, bugRepository } from '../bugs/store/repository.ts';
import { type BugSettingsRepository, bugSettingsRepository } from '../bugs/store/settings-repository.ts';
import type { Workflow } from '../bugs/workflow.ts';
import { type CommentRepository, commentRepository } from '../comments/repository.ts';
import type { CommentItem } from '../comments/schema.ts';
import type { Table } from '../dynamodb/client.ts';
import {
  bugPartition,
  commentKey,
  historyPosition,
  historyRangeAfter,
  historyRangeOf,
} from '../dynamodb/keys.ts';
import { readRange, withKey } from '../dynamodb/read.ts';
import { knownProduct, placeOf } from '../products/known-products.ts';
import type { BugPlace } from '../products/place.ts';
import { type ProductRepository, productRepository } from '../products/repository.ts';
import type { FlagTypeItem, ProductWithParts } from '../products/schema.ts';
import { normalizeName } from '../text.ts';
import { type UserRepository, userRepository } from '../users/repository.ts';
import type { UserItem } from '../users/schema.ts';

/** A change of a bug with all that its events and mails show. functions/events/README.md 1 */
export interface PublishedChange {
  kind: LoggedChange['kind'];
  /** `YYYY-MM-DDThh:mm:ssZ` */
  time: string;
  /** of the bug, after the change */
  revision: number;
  /** login of who made it */
  who: string;
  /** as it is now */
  bug: BugItem;
  place: BugPlace;
  product: ProductWithParts | undefined;
  fields: BugFields;
  workflow: Workflow;
  /** what the history says of it, hours and private parts included */
  history: FieldChange[];
  /** the same by those who did it: comments with hours may have several authors */
  entries: readonly Pick<HistoryItem, 'who' | 'changes'>[];
  /** what later changes did to the bug, as far as it was read, oldest first */
  later: readonly FieldChange[];
  details: Pick<z.infer<typeof recordAttributes>, 'flag_changes' | 'comment_counts'>;
  /** whether comments are private now whose privacy the change changed, by their counts; as far as later changes were read */
  commentPrivacy: ReadonlyMap<number, boolean>;
  /** whether the bug was private before it, and was afterwards */
  privacy: { before: boolean; after: boolean };
  /** those that it added, in order */
  comments: CommentItem[];
  /** those that it created, or that its history names, by id */
  attachments: ReadonlyMap<number, AttachmentItem>;
  /** ids of those that it created */
  created: ReadonlySet<number>;
  /** those that the fields of the bug name, and who made the change, by normalized login */
  users: ReadonlyMap<string, UserItem>;
}

/** The repositories that a change is read from, so that it can be published. */
export interface EventRepositories {
  table: Table;
  bugs: BugRepository;
  comments: CommentRepository;
  attachments: AttachmentRepository;
  products: ProductRepository;
  users: UserRepository;
  bugSettings: BugSettingsRepository;
}

/** The repositories that changes of a table are read from. */
export const eventRepositories = (table: Table, now: () => Date): EventRepositories => ({
  table,
  bugs: bugRepository(table, now),
  comments: commentRepository(table),
  attachments: attachmentRepository(table, now),
  products: productRepository(table, now),
  users: userRepository(table, now),
  bugSettings: bugSettingsRepository(table),
});

/** A history entry with what it keeps for mails, at its key. */
const detailedHistoryItem = withKey(z.extend(historyItem, recordAttributes.shape));

/** A change as its bug, its history and its comments tell of it. */
export interface FoundChange extends LoggedChange {
  /** ids that its history names */
  attachments: readonly number[];
  /** login of who made it; undefined: its history has nothing */
  who?: string | undefined;
}

/** The name of a change among those of its bug. */
export const changeName = ({
  kind,
  revision,
  comments: [first] = [0, 0],
}: Pick<LoggedChange, 'kind' | 'revision' | 'comments'>): string =>
  kind === 'commented' ? `${kind}-${first}` : `${kind}-${revision}`;

/**
 * Reads a change that the log names, strongly consistent. The bug is read after its parts, so that what is written when the
 * bug has become private is not read for one that is still public.
 *
 * @param id of the bug
 * @param withLater whether to read what later changes did
 * @returns undefined: the table has no such bug
 */
export async function readChange(
  id: number,
  { kind, time, revision, comments: [first, count] = [0, 0] }: LoggedChange,
  sources: EventRepositories,
  { withLater = false }: { withLater?: boolean } = {},
): Promise<PublishedChange | undefined> {
  const range = (keys: { from: string; to: string }) =>
    readRange(sources.table, { pk: bugPartition(id), ...keys }, detailedHistoryItem);
  const counts = Array.from({ length: count }, (_, index) => first + index);
  const keys = counts.map((one) => commentKey({ bug_id: id, creation_time: time, count: one }));
  const [{ fields, workflow }, all, found] = await Promise.all([
    sources.bugSettings.read(),
    range(historyRangeOf(time, revision)),
    sources.comments.byKeys(keys),
  ]);
  const entries = all.filter((entry) => {
    const at = historyPosition(entry);
    return kind === 'commented' ? at.count !== undefined && counts.includes(at.count) : isOfBug(at);
  });
  const history = entries.flatMap(({ changes }) => changes);
  const comments = found.toSorted((a, b) => a.count - b.count);
  const created = new Set(comments.flatMap((comment) => createdAttachmentOf(comment) ?? []));
  const named = [...created, ...history.flatMap(({ attachment_id }) => attachment_id ?? [])];
  const isLaterRead = withLater || history.some(({ field_name }) => field_name === 'groups');
  const [attachments, after] = await Promise.all([
    sources.attachments.byPointers([...new Set(named)].map((one) => ({ id: one, bug_id: id }))),
    isLaterRead ? range(historyRangeAfter(time, revision)) : [],
  ]);
  const later = after.flatMap(({ changes }) => changes);
  const bug = await sources.bugs.byId(id);
  if (bug === undefined) return undefined;
  const who = entries[0]?.who ?? comments[0]?.creator ?? bug.reporter;
  const flags = [bug, ...attachments.values()].flatMap((one) => one.flags);
  const [[product], users] = await Promise.all([
    sources.products.allWithParts([bug.product_id]),
    sources.users.byLogins([
      ...[who, bug.reporter, bug.assigned_to, bug.qa_contact],
      ...comments.map(({ creator }) => creator),
      ...flags.flatMap(({ requestee }) => requestee ?? []),
    ]),
  ]);
  return {
    ...{ kind, time, revision, who, bug, product, fields, workflow, history, entries, later },
    ...{ comments, attachments, created, users },
    place: placeOf(bug, product === undefined ? undefined : knownProduct(product)),
    details: {
      flag_changes: entries.flatMap(({ flag_changes }) => flag_changes),
      comment_counts: entries.flatMap(({ comment_counts }) => comment_counts),
    },
    commentPrivacy: privacyOfComments([...entries, ...after]),
    privacy: privacyOf(bug, history, later),
  };
}

/** Whether comments whose privacy changed are private, by their counts. @param entries oldest first */
function privacyOfComments(
  entries: readonly Pick<z.infer<typeof detailedHistoryItem>, 'changes' | 'comment_counts'>[],
): Map<number, boolean> {
  const changes = entries.flatMap(({ changes: all, comment_counts }) => {
    const own = all.filter(({ field_name }) => field_name === COMMENT_PRIVACY);
    return comment_counts.map((count, at): [number, boolean] => [count, own[at]?.added === '1']);
  });
  return new Map(changes);
}

/** The field of histories that says that a comment became private, or public. */
export const COMMENT_PRIVACY = 'longdescs.isprivate';

/** Whether a bug was private before a change and after it: its present groups without what later changes did to them. */
function privacyOf(
  { groups }: BugItem,
  own: readonly FieldChange[],
  later: readonly FieldChange[],
): PublishedChange['privacy'] {
  const names = new Set(groups.map(normalizeName));
  const undo = (changes: readonly FieldChange[]) => {
    for (const { field_name, removed, added } of changes.toReversed()) {
      if (field_name !== 'groups') continue;
      for (const name of listOf(added)) names.delete(normalizeName(name));
      for (const name of listOf(removed)) names.add(normalizeName(name));
    }
    return names.size > 0;
  };
  const after = undo(later);
  return { after, before: undo(own) };
}

/** The elements of a list in a history. */
export const listOf = (text: string): string[] => text.split(', ').filter((element) => element !== '');

/** The types that flags of a bug, or of its attachments, have names from; also those that are not available there any more. */
export const flagTypesOf = ({ product }: Pick<PublishedChange, 'product'>): readonly FlagTypeItem[] =>
  product?.flagTypes ?? [];
