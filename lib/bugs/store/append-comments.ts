import { ACTIONS_PER_COMMENT, putCommentActions } from '../../comments/repository.ts';
import { type CommentDraft, type CommentItem, placeDraft } from '../../comments/schema.ts';
import { sumOfHours } from '../../comments/validation.ts';
import type { Table } from '../../dynamodb/client.ts';
import type { StaleWrite } from '../../dynamodb/errors.ts';
import { bugKey } from '../../dynamodb/keys.ts';
import { type Action, tryTransactWrite } from '../../dynamodb/write.ts';
import { idempotencyActions } from '../../idempotency/repository.ts';
import { timestamp } from '../../time.ts';
import type { BugItem } from '../schema.ts';
import { LOG_ACTIONS, logActions, withLogTime } from '../search-index/change-log.ts';
import { putHistoryAction, workTimeChange } from './history.ts';
import type { LoggedChange } from './logged-change.ts';
import { unchanged } from './unchanged.ts';

/** Transaction actions of the bug when comments are appended. */
export const BUG_ACTIONS = 1 + LOG_ACTIONS;

/** Transaction actions of a comment when it is appended. */
export const actionsOfDraft = ({ work_time, idempotency }: CommentDraft): number =>
  ACTIONS_PER_COMMENT + (work_time === 0 ? 0 : 1) + (idempotency === undefined ? 0 : 1);

/**
 * Appends comments to a bug in one transaction.
 *
 * @param bug as it was read
 * @param extra further actions of the transaction
 * @returns undefined when written; otherwise why not: the bug, or an item of `extra`, has changed since it was read
 */
export async function appendDrafts(
  table: Table,
  bug: BugItem,
  drafts: CommentDraft[],
  now: Date,
  extra: Action[] = [],
): Promise<StaleWrite | undefined> {
  const comments = numberDrafts(bug, drafts, now, table.logsEvents);
  const next = withComments(bug, comments, now);
  const change: LoggedChange = {
    ...{ kind: 'commented', revision: bug.revision, time: next.last_comment_time },
    comments: [bug.comment_count, comments.length],
  };
  return tryTransactWrite(table, [
    ...comments.flatMap((comment) => putCommentActions(comment)),
    ...countCommentsActions(bug, next, table.logsEvents ? change : undefined),
    ...comments.flatMap((comment) => workTimeActions(bug, comment)),
    ...drafts.flatMap(({ idempotency }) => idempotencyActions(idempotency, now)),
    ...extra,
  ]);
}

/** The history has an entry for work time. */
function workTimeActions({ revision }: BugItem, comment: CommentItem): Action[] {
  const { bug_id, count, creator, creation_time, work_time } = comment;
  if (work_time === 0) return [];
  const entry = { bug_id, when: creation_time, who: creator, changes: [workTimeChange(work_time)] };
  return [putHistoryAction(entry, revision, count)];
}

/**
 * Drafts with the next counts of the bug, and a time not before the last comment's.
 *
 * @param logsEvents whether comments say which change they belong to
 */
export function numberDrafts(
  { revision, comment_count: batch, last_comment_time }: BugItem,
  drafts: CommentDraft[],
  now: Date,
  logsEvents: boolean,
): CommentItem[] {
  const current = timestamp(now);
  const creation_time = current > last_comment_time ? current : last_comment_time;
  const origin = logsEvents ? { revision, batch } : {};
  return drafts.map((draft, index) => placeDraft(draft, batch + index, creation_time, origin));
}

/** A bug with comments appended. @param comments in order, at least one */
export function withComments(bug: BugItem, comments: readonly CommentItem[], now: Date): BugItem {
  const last = comments.at(-1)?.creation_time ?? bug.last_comment_time;
  const next: BugItem = {
    ...bug,
    comment_count: bug.comment_count + comments.length,
    last_comment_time: last,
    last_change_time: last > bug.last_change_time ? last : bug.last_change_time,
    hours_worked: sumOfHours([bug.hours_worked, ...comments.map(({ work_time }) => work_time)]),
  };
  return withLogTime(next, timestamp(now));
}

/**
 * The transaction actions that count comments appended to a bug, the first on the bug itself: its condition fails
 * when the bug changed, or other comments were appended, since it was read.
 *
 * @param bug as it was read
 * @param next the same with the comments
 * @param change as in logActions
 */
export function countCommentsActions(bug: BugItem, next: BugItem, change?: LoggedChange): Action[] {
  const { condition, values } = unchanged(bug);
  const { comment_count, last_comment_time, last_change_time, hours_worked, logged_at } = next;
  const counts =
    'comment_count = :next, last_comment_time = :last, last_change_time = :changed, hours_worked = :hours';
  return [
    {
      update: bugKey(bug.id),
      set: logged_at === undefined ? `SET ${counts} REMOVE logged_at` : `SET ${counts}, logged_at = :logged`,
      condition,
      values: {
        ...values,
        ':next': comment_count,
        ':last': last_comment_time,
        ':changed': last_change_time,
        ':hours': hours_worked,
        ':logged': logged_at,
      },
    },
    ...logActions(bug, next, change),
  ];
}
