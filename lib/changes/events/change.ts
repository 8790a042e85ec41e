import * as z from 'zod/mini';
import { normalizeName } from '../../base/text.ts';
import { attachmentRepository } from '../../bugs/attachments/repository.ts';
import type { AttachmentItem } from '../../bugs/attachments/schema.ts';
import type { LoggedChange } from '../../bugs/change-log/logged-change.ts';
import { type ChangeRecord, workTimeChange } from '../../bugs/changes.ts';
import { commentRepository } from '../../bugs/comments/repository.ts';
import type { CommentItem } from '../../bugs/comments/schema.ts';
import type { BugFields } from '../../bugs/fields/registry.ts';
import { type BugItem, type FieldChange, historyItem } from '../../bugs/schema.ts';
import { bugRepository } from '../../bugs/store/repository.ts';
import { bugSettingsRepository } from '../../bugs/store/settings-repository.ts';
import { isOfBug } from '../../bugs/store/write-bug.ts';
import type { Workflow } from '../../bugs/workflow.ts';
import { userRepository } from '../../people/repository.ts';
import type { UserItem } from '../../people/schema.ts';
import { type BugPlace, knownProduct, placeOf } from '../../products/place.ts';
import { productRepository } from '../../products/repository.ts';
import type { FlagTypeItem, ProductWithParts } from '../../products/schema.ts';
import type { Table } from '../../table/client.ts';
import {
  bugPartition,
  commentKey,
  historyPosition,
  historyRangeAfter,
  historyRangeOf,
} from '../../table/keys.ts';
import { readRange, withKey } from '../../table/read.ts';
import { watchRepository } from '../watches/repository.ts';

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
  history: readonly FieldChange[];
  record: ChangeRecord;
  /** with the groups and people before the change, and after it, as far as later changes were read */
  before: BugItem;
  after: BugItem;
  /** whether comments are private now whose privacy the change changed, by their counts; as far as later changes were read */
  commentPrivacy: ReadonlyMap<number | undefined, boolean>;
  /** those that it added, in order */
  comments: readonly CommentItem[];
  /** those that it created, or that its history names, by id */
  attachments: ReadonlyMap<number, AttachmentItem>;
  /** ids of those that it created */
  created: ReadonlySet<number>;
  /** those that the fields of the bug name, and who made the change, by normalized login */
  users: ReadonlyMap<string, UserItem>;
}

/** The repositories that changes of a table are read from, so that they can be published. */
export const eventRepositories = (table: Table, now: () => Date) => ({
  table,
  bugs: bugRepository(table, now),
  comments: commentRepository(table),
  attachments: attachmentRepository(table, now),
  products: productRepository(table, now),
  users: userRepository(table, now),
  bugSettings: bugSettingsRepository(table),
  watches: watchRepository(table),
});
export type EventRepositories = ReturnType<typeof eventRepositories>;

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
  const readEntries = async (keys: { from: string; to: string }) =>
    (await readRange(sources.table, { pk: bugPartition(id), ...keys }, recordedEntry)).filter((entry) =>
      isOfBug(historyPosition(entry)),
    );
  const keys = Array.from({ length: count }, (_, index) =>
    commentKey({ bug_id: id, creation_time: time, count: first + index }),
  );
  const isOfComments = kind === 'commented';
  const [{ fields, workflow }, entries, found] = await Promise.all([
    sources.bugSettings.read(),
    isOfComments ? [] : readEntries(historyRangeOf(time, revision)),
    sources.comments.byKeys(keys),
  ]);
  const comments = found.toSorted((a, b) => a.count - b.count);
  const history = isOfComments ? hoursOf(comments) : entries.flatMap(({ changes }) => changes);
  const created = new Set(
    comments.flatMap((one) => (one.creates_attachment ? (one.attachment_id ?? []) : [])),
  );
  const named = [...created, ...history.flatMap(({ attachment_id }) => attachment_id ?? [])];
  const isLaterRead = withLater || history.some(({ field_name }) => field_name === 'groups');
  const [attachments, later] = await Promise.all([
    sources.attachments.byPointers([...new Set(named)].map((one) => ({ id: one, bug_id: id }))),
    isLaterRead ? readEntries(historyRangeAfter(time, revision)).then(readRecords) : [],
  ]);
  const record = readRecord(entries);
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
  const after = undo(bug, later);
  const privacy = [record, ...later].flatMap((one) => one.privacy);
  return {
    ...{ kind, time, revision, who, bug, product, fields, workflow, history, record },
    ...{ comments, attachments, created, users },
    place: placeOf(bug, product === undefined ? undefined : knownProduct(product)),
    ...{ before: undo(after, [record]), after },
    commentPrivacy: new Map(privacy.map((one) => [one.count, one.isPrivate])),
  };
}

/** What histories say of comments alone: the hours that came with them. */
export const hoursOf = (comments: readonly CommentItem[]): FieldChange[] =>
  comments.filter(({ work_time }) => work_time !== 0).map(({ work_time }) => workTimeChange(work_time));

/** The types that flags of a bug, or of its attachments, have names from; also those that are not available there any more. */
export const flagTypesOf = ({ product }: Pick<PublishedChange, 'product'>): readonly FlagTypeItem[] =>
  product?.flagTypes ?? [];

const flagState = z.object({ status: z.string(), setter: z.string(), requestee: z.nullable(z.string()) });
const recordedFlag = z.object({
  type_id: z.int(),
  name: z.optional(z.string()),
  attachment_id: z.optional(z.int()),
  before: z.optional(flagState),
  after: z.optional(flagState),
});

const values = z.record(z.string(), z.array(z.union([z.string(), z.number()])));

/** The attributes of the first history entry of a change that have its record. */
const recordAttributes = z.object({
  record: z.optional(
    z.object({
      removed: z._default(values, {}),
      added: z._default(values, {}),
      privacy: z._default(z.array(z.object({ count: z.int(), isPrivate: z.boolean() })), []),
    }),
  ),
  flag_changes: z._default(z.array(recordedFlag), []),
});

/** A history entry with the record of its change, if it is the first one, and with its key. */
export const recordedEntry = withKey(z.extend(historyItem, recordAttributes.shape));

/** The record of a change; without one, as of a change by 1.2 without events, it is empty. @param entries its history */
export function readRecord([first]: readonly z.infer<typeof recordedEntry>[]): ChangeRecord {
  const { removed, added, privacy } = first?.record ?? { removed: {}, added: {}, privacy: [] };
  return { removed, added, privacy, flags: first?.flag_changes ?? [] };
}

/** The records of changes, in their order. @param entries their history */
function readRecords(entries: readonly z.infer<typeof recordedEntry>[]): ChangeRecord[] {
  const changes = Map.groupBy(entries, ({ when, ...key }) => `${when} ${historyPosition(key).revision}`);
  return [...changes.values()].map(readRecord);
}

/**
 * Takes changes back from a bug, as far as its groups and people are concerned.
 *
 * @param changes the last ones, oldest first
 */
export function undo(bug: BugItem, changes: readonly ChangeRecord[]): BugItem {
  const list = (name: 'groups' | 'cc'): string[] => {
    const names = new Map(bug[name].map((one) => [normalizeName(one), one]));
    for (const { removed, added } of changes.toReversed()) {
      for (const one of added[name] ?? []) names.delete(normalizeName(String(one)));
      for (const one of removed[name] ?? []) names.set(normalizeName(String(one)), String(one));
    }
    return [...names.values()];
  };
  const person = (name: 'assigned_to' | 'qa_contact'): string => {
    const first = changes.find(({ removed, added }) => name in removed || name in added);
    return first === undefined ? bug[name] : String(first.removed[name]?.[0] ?? '');
  };
  return {
    ...{ ...bug, groups: list('groups'), cc: list('cc') },
    ...{ assigned_to: person('assigned_to'), qa_contact: person('qa_contact') },
  };
}
