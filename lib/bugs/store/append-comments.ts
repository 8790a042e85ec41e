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
import { putHistoryAction, workTimeChange } from './history.ts';
import { CHANGED_ACTIONS, changedActions } from './search-index.ts';
import { unchanged } from './unchanged.ts';

/** Transaction actions of the bug when comments are appended. */
export const BUG_ACTIONS = 1 + CHANGED_ACTIONS;

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
  const comments = numberDrafts(bug, drafts, now);
  return tryTransactWrite(table, [
    ...comments.flatMap((comment) => putCommentActions(comment)),
    ...countCommentsActions(bug, comments, now),
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

/** Drafts with the next counts of the bug, and a time not before the last comment's. */
export function numberDrafts(bug: BugItem, drafts: CommentDraft[], now: Date): CommentItem[] {
  const current = timestamp(now);
  const creation_time = current > bug.last_comment_time ? current : bug.last_comment_time;
  return drafts.map((draft, index) => placeDraft(draft, bug.comment_count + index, creation_time));
}

/**
 * The transaction actions that count comments appended to a bug, the first on the bug itself: its condition fails
 * when the bug changed, or other comments were appended, since it was read.
 *
 * @param bug as it was read
 * @param comments in order, at least one
 */
export function countCommentsActions(bug: BugItem, comments: CommentItem[], now: Date): Action[] {
  const last = comments.at(-1)?.creation_time ?? bug.last_comment_time;
  const { condition, values } = unchanged(bug);
  const changed = last > bug.last_change_time ? last : bug.last_change_time;
  return [
    {
      update: bugKey(bug.id),
      set: 'SET comment_count = :next, last_comment_time = :last, last_change_time = :changed ADD hours_worked :hours',
      condition,
      values: {
        ...values,
        ':next': bug.comment_count + comments.length,
        ':last': last,
        ':changed': changed,
        ':hours': sumOfHours(comments.map(({ work_time }) => work_time)),
      },
    },
    ...changedActions(bug, changed, now),
  ];
}
