import { timestamp } from '../../base/time.ts';
import type { Table } from '../../table/client.ts';
import type { StaleWrite } from '../../table/errors.ts';
import { idempotencyActions } from '../../table/idempotency.ts';
import { type Action, tryTransactWrite } from '../../table/write.ts';
import { LOG_ACTIONS } from '../change-log/change-log.ts';
import type { LoggedChange } from '../change-log/logged-change.ts';
import { workTimeChange } from '../changes.ts';
import { ACTIONS_PER_COMMENT } from '../comments/repository.ts';
import type { CommentItem, PendingComment } from '../comments/schema.ts';
import type { BugItem } from '../schema.ts';
import { addComments, putBugActions, putHistoryAction } from './write-bug.ts';

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
    ...comments.flatMap((comment) => workTimeActions(bug, comment)),
    ...pending.flatMap(({ idempotency }) => idempotencyActions(idempotency, now)),
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
