import type { Action } from '../../table/write.ts';
import { newComment } from '../comments/new-comment.ts';
import { putCommentActions } from '../comments/repository.ts';
import type { CommentItem, PendingComment } from '../comments/schema.ts';
import { sumOfHours } from '../comments/validation.ts';
import type { BugItem } from '../schema.ts';

/** What is written of a bug. */
export interface BugWrite {
  /** with its counts, hours and last times */
  bug: BugItem;
  /** those that it gets */
  comments: CommentItem[];
  /** of the transaction */
  actions: Action[];
}

/**
 * Adds comments to a bug, with its next counts: the one way for requests, with a change of the bug and without.
 *
 * @param time `YYYY-MM-DDThh:mm:ssZ`, not before the last comment's
 * @param originOf the change that a comment belongs to, as comments have it
 * @returns actions that write the comments; the bug is left to the caller
 */
export function addComments(
  bug: BugItem,
  pending: readonly PendingComment[],
  time: string,
  originOf: (comment: PendingComment) => Pick<CommentItem, 'revision' | 'batch' | 'creates_attachment'>,
): BugWrite {
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
