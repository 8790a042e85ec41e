import { isDeepStrictEqual } from 'node:util';
import { portions } from '../../base/collections.ts';
import type { ListPart } from '../../base/list-part.ts';
import { normalizeName } from '../../base/text.ts';
import { timestamp } from '../../base/time.ts';
import type { User } from '../../people/caller.ts';
import { type ReadProduct, unchangedProduct } from '../../products/repository.ts';
import type { Table } from '../../table/client.ts';
import { sizeOf } from '../../table/consumption.ts';
import type { StaleWrite } from '../../table/errors.ts';
import { idempotencyActions } from '../../table/idempotency.ts';
import { aliasKey, bugKey, historyKey } from '../../table/keys.ts';
import {
  ABSENT,
  type Action,
  differingAttributes,
  type Guard,
  setAction,
  tryTransactWrite,
} from '../../table/write.ts';
import { putAttachmentActions } from '../attachments/repository.ts';
import { LOG_ACTIONS, logActions, withLogTime } from '../change-log/change-log.ts';
import type { LoggedChange } from '../change-log/logged-change.ts';
import { attributesOf, type BugChange, type ChangeRecord, workTimeChange } from '../changes.ts';
import { ACTIONS_PER_COMMENT, putCommentActions } from '../comments/repository.ts';
import type { CommentItem, PendingComment } from '../comments/schema.ts';
import { newComment, sumOfHours } from '../comments/validation.ts';
import { dateFlags } from '../flags/set-flags.ts';
import type { BugItem, HistoryItem } from '../schema.ts';

/**
 * The transaction actions that write a bug, the first on the bug itself, and log its change. The condition fails when
 * the bug exists, was changed, or a comment was added, since it was read.
 *
 * @param read undefined: the bug is new
 * @param now the time of writing, `YYYY-MM-DDThh:mm:ssZ`
 * @param change as in logActions
 */
export function putBugActions(
  read: BugItem | undefined,
  next: BugItem,
  now: string,
  change?: LoggedChange,
): Action[] {
  const bug = withLogTime(next, now);
  const key = bugKey(bug.id);
  const write: Action =
    read === undefined
      ? { put: { ...key, ...bug }, condition: ABSENT }
      : setAction(key, differingAttributes(read, bug), unchanged(read));
  return [write, ...logActions(read, bug, change)];
}

/** Whether a change puts a bug into a product, or changes its groups: what the group controls of the product decide. */
export const followsProduct = (before: BugItem | undefined, after: BugItem): boolean =>
  before === undefined ||
  before.product_id !== after.product_id ||
  !isDeepStrictEqual(before.groups, after.groups);

/**
 * The transaction actions that fail when one of the products has changed since it was read, one for each product.
 *
 * @param products undefined: nothing follows from the product
 */
export const unchangedProducts = (products: readonly (ReadProduct | undefined)[]): Action[] =>
  [
    ...new Map(
      products.flatMap((product) => (product === undefined ? [] : [[product.id, product]])),
    ).values(),
  ].map(unchangedProduct);

/**
 * Dates a change: with the bug as it is then, and the transaction actions that write it, its comments, its history, and
 * log it. The aliases are left to the caller.
 *
 * @param now `YYYY-MM-DDThh:mm:ssZ`; the change is not before what happened to the bug already
 * @param logsEvents whether the change log says what the change did
 * @returns the bug with its counts, hours and last times, the comments that it gets, and the actions
 */
export function dateChange(user: User, change: BugChange, now: string, logsEvents: boolean) {
  const { before, after, history, record, attachments, comments, privacy } = change;
  const times = [now, before?.last_change_time ?? now, before?.last_comment_time ?? now];
  const time = times.sort().at(-1) ?? now;
  const revision = before === undefined ? 0 : before.revision + 1;
  const pending = comments.map((one) => ({ ...one, bug_id: after.id, creator: user.login }));
  const created = new Set(attachments.filter((one) => one.before === undefined).map((one) => one.after.id));
  const added = addComments(after, pending, time, ({ attachment_id }) => ({
    revision,
    ...(created.has(attachment_id ?? 0) ? { creates_attachment: true } : {}),
  }));
  const next: BugItem = {
    ...added.bug,
    flags: dateFlags(after.flags, time),
    creation_time: before?.creation_time ?? time,
    revision,
    last_change_time: time,
    attachment_count: after.attachment_count + created.size,
  };
  const bug = withLogTime(next, now);
  const entry: HistoryItem = { bug_id: bug.id, when: time, who: user.login, changes: history };
  const logged: LoggedChange = {
    ...{ kind: before === undefined ? 'created' : 'changed', time, revision: bug.revision },
    ...(comments.length === 0 ? {} : { comments: [after.comment_count, comments.length] }),
  };
  const actions: Action[] = [
    ...putBugActions(before, bug, now, logsEvents ? logged : undefined),
    ...putHistoryActions(entry, bug.revision, record),
    ...added.actions,
    ...attachments.flatMap(({ before: read, after: next }) =>
      putAttachmentActions(read, {
        ...next,
        creation_time: read?.creation_time ?? time,
        last_change_time: next.last_change_time || time,
        flags: dateFlags(next.flags, time),
      }),
    ),
    ...privacy.map(
      ({ key, isPrivate }): Action => ({
        update: key,
        set: 'SET is_private = :private',
        condition: 'attribute_exists(pk)',
        values: { ':private': isPrivate },
      }),
    ),
  ];
  return { bug, comments: added.comments, actions };
}

/** The condition that a bug neither changed nor got a comment since it was read. */
export const unchanged = ({ revision, comment_count }: BugItem): Guard => ({
  condition: 'comment_count = :count AND revision = :revision',
  values: { ':count': comment_count, ':revision': revision },
});

/**
 * Adds comments to a bug, with its next counts: the one way for requests, with a change of the bug and without.
 *
 * @param time `YYYY-MM-DDThh:mm:ssZ`, not before the last comment's
 * @param originOf the change that a comment belongs to, as comments have it
 * @returns actions that write the comments; the bug is left to the caller
 */
function addComments(
  bug: BugItem,
  pending: readonly PendingComment[],
  time: string,
  originOf: (comment: PendingComment) => Pick<CommentItem, 'revision' | 'batch' | 'creates_attachment'>,
) {
  const comments = pending.map((comment, index) =>
    newComment(comment, { count: bug.comment_count + index, creation_time: time, ...originOf(comment) }),
  );
  return { bug: withComments(bug, comments), comments, actions: comments.flatMap(putCommentActions) };
}

/** A bug with comments added. @param comments in order */
export function withComments(bug: BugItem, comments: readonly CommentItem[]): BugItem {
  const last = comments.at(-1)?.creation_time ?? bug.last_comment_time;
  return {
    ...bug,
    comment_count: bug.comment_count + comments.length,
    last_comment_time: last,
    last_change_time: last > bug.last_change_time ? last : bug.last_change_time,
    hours_worked: sumOfHours([bug.hours_worked, ...comments.map(({ work_time }) => work_time)]),
  };
}

/** The aliases of a bug that it did not have before. */
export function newAliases({ aliases }: Pick<BugItem, 'aliases'>, before: string[]): string[] {
  const known = new Set(before.map(normalizeName));
  return aliases.filter((alias) => !known.has(normalizeName(alias)));
}

/**
 * The transaction actions that make the aliases of a bug point to it, the first ones in the order of the aliases;
 * their conditions fail when another bug has the alias.
 *
 * @param before the aliases that the bug had; those that it no longer has are removed
 */
export function aliasActions(bug: BugItem, before: string[]): Action[] {
  const { id, aliases } = bug;
  const next = new Set(aliases.map(normalizeName));
  const removed = before.filter((alias) => !next.has(normalizeName(alias)));
  return [
    ...newAliases(bug, before).map(
      (alias): Action => ({
        put: { ...aliasKey(alias), bug_id: id },
        condition: 'attribute_not_exists(pk) OR bug_id = :id',
        values: { ':id': id },
      }),
    ),
    ...removed.map((alias): Action => ({ remove: aliasKey(alias) })),
  ];
}

/** Which changes of a bug are read; times are `YYYY-MM-DDThh:mm:ssZ`. */
export interface HistoryPart extends ListPart {
  /** only later ones */
  since: string | undefined;
  /** only earlier ones */
  before: string | undefined;
}

/**
 * The transaction action that adds to the history of a bug.
 *
 * @param revision of the bug after the change
 * @param count of the comment that is the change: comments leave the revision as it is
 */
const putHistoryAction = (entry: HistoryItem, revision: number, count?: number): Action => ({
  put: { ...historyKey(entry.bug_id, entry.when, revision, count), ...entry },
});

/** Bytes of an entry: DynamoDB allows 400 KB for an item. */
const MAX_ENTRY_BYTES = 300_000;
/** Divided entries are told apart by a count, which is none of a comment. */
const FIRST_DIVISION = 1_000_000_000;

/** Whether a history entry at a position is a change of the bug, not the hours of a comment. */
export const isOfBug = ({ count }: { count: number | undefined }): boolean =>
  count === undefined || count >= FIRST_DIVISION;

/**
 * The same for an entry of any size: a large one is divided into several of the same time.
 *
 * @param record of the change, kept with the first; undefined: the table has no stream, or it becomes no events
 */
export function putHistoryActions(entry: HistoryItem, revision: number, record?: ChangeRecord): Action[] {
  const divided = [...portions(entry.changes, { max: MAX_ENTRY_BYTES, sizeOf })];
  return divided.map((changes, index) =>
    index === 0
      ? putHistoryAction({ ...entry, ...(record && attributesOf(record)), changes }, revision)
      : putHistoryAction({ ...entry, changes }, revision, FIRST_DIVISION + index),
  );
}

/** Transaction actions of the bug when comments are added. */
export const BUG_ACTIONS = 1 + LOG_ACTIONS;

/** Transaction actions of a comment when it is added. */
export const actionsOfComment = ({ work_time, idempotency }: PendingComment): number =>
  ACTIONS_PER_COMMENT + (work_time === 0 ? 0 : 1) + (idempotency === undefined ? 0 : 1);

/** When the next comment of a bug is written: not before the last one. */
export function nextCommentTime({ last_comment_time }: BugItem, now: Date): string {
  const current = timestamp(now);
  return current > last_comment_time ? current : last_comment_time;
}

/**
 * Adds comments to a bug that does not change otherwise, in one transaction.
 *
 * @param bug as it was read
 * @param extra further actions of the transaction
 * @returns undefined when written; otherwise why not: the bug, or an item of `extra`, has changed since it was read
 */
export async function commitComments(
  table: Table,
  bug: BugItem,
  pending: readonly PendingComment[],
  now: Date,
  extra: Action[] = [],
): Promise<StaleWrite | undefined> {
  const { revision, comment_count: batch } = bug;
  const time = nextCommentTime(bug, now);
  const { bug: next, comments, actions } = addComments(bug, pending, time, () => ({ revision, batch }));
  const change: LoggedChange = { kind: 'commented', revision, time, comments: [batch, comments.length] };
  return tryTransactWrite(table, [
    ...actions,
    ...putBugActions(bug, next, timestamp(now), table.logsEvents ? change : undefined),
    // The history has an entry for work time.
    ...comments.flatMap(({ bug_id, count, creator: who, work_time }) => {
      if (work_time === 0) return [];
      const entry = { bug_id, when: time, who, changes: [workTimeChange(work_time)] };
      return [putHistoryAction(entry, revision, count)];
    }),
    ...pending.flatMap(({ idempotency }) => idempotencyActions(idempotency, now)),
    ...extra,
  ]);
}
