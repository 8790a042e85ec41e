import { isDeepStrictEqual } from 'node:util';
import {
  ACTIONS_PER_COMMENT,
  putCommentActions,
  removeCommentActions,
  resumeCommentActions,
} from '../comments/repository.ts';
import type { CommentItem } from '../comments/schema.ts';
import { sumOfHours } from '../comments/validation.ts';
import type { Table } from '../dynamodb/client.ts';
import { bugKey } from '../dynamodb/keys.ts';
import {
  ABSENT,
  type Action,
  MAX_TRANSACTION_ACTIONS,
  MAX_TRANSACTION_BYTES,
  retryConflicts,
  transactWrite,
} from '../dynamodb/write.ts';
import { bytes } from '../text.ts';
import { aliasActions } from './aliases.ts';
import { countCommentsAction } from './append-comments.ts';
import type { BugItem } from './schema.ts';

/** Writes whole bugs with ids, times and comments that are given: for the catalogue. */
export function bulkBugRepository(table: Table) {
  const write = (actions: Action[]) => retryConflicts(table, () => transactWrite(table, actions));

  return {
    /**
     * Creates a bug with its comments. The comments are written first, where no request sees them before the bug
     * exists; an interrupted run can be repeated.
     *
     * @param bug its counts and last times follow from the comments
     * @param comments in order; their counts from 0
     * @param stale what an interrupted run left and is not wanted any more
     * @throws ConditionFailed when another writer created the bug, one of the comments, or an alias meanwhile
     */
    async create(bug: BugItem, comments: CommentItem[], stale: CommentItem[]): Promise<void> {
      const stillAbsent: Action = { check: bugKey(bug.id), condition: ABSENT };
      for (const comment of stale) await write([stillAbsent, ...removeCommentActions(comment)]);
      for (const batch of batches(comments)) {
        await write([stillAbsent, ...batch.flatMap(resumeCommentActions)]);
      }
      const last = comments.at(-1)?.creation_time ?? bug.creation_time;
      const complete: BugItem = {
        ...bug,
        comment_count: comments.length,
        last_comment_time: last,
        last_change_time: last,
        hours_worked: sumOfHours(comments.map(({ work_time }) => work_time)),
      };
      await write([
        { put: { ...bugKey(bug.id), ...complete }, condition: ABSENT },
        ...aliasActions(complete, []),
      ]);
    },

    /**
     * Replaces a bug, and its aliases.
     *
     * @param existing as it was read
     * @returns whether there was anything to change
     * @throws ConditionFailed when a comment was added meanwhile, or another bug has an alias
     */
    async replace(existing: BugItem, wanted: BugItem): Promise<boolean> {
      if (isDeepStrictEqual(existing, wanted)) return false;
      await write([
        {
          put: { ...bugKey(wanted.id), ...wanted },
          condition: 'comment_count = :read',
          values: { ':read': existing.comment_count },
        },
        ...aliasActions(wanted, existing.aliases),
      ]);
      return true;
    },

    /**
     * Appends comments to an existing bug.
     *
     * @param comments in order; their counts follow those of the bug
     * @throws ConditionFailed when another comment was added meanwhile
     */
    async appendComments(bug: BugItem, comments: CommentItem[]): Promise<void> {
      let current = bug;
      for (const batch of batches(comments)) {
        await write([
          ...batch.flatMap((comment) => putCommentActions(comment)),
          countCommentsAction(current, batch),
        ]);
        current = { ...current, comment_count: current.comment_count + batch.length };
      }
    },
  };
}

/** One action is left for the bug. */
const MAX_COMMENTS = Math.floor((MAX_TRANSACTION_ACTIONS - 1) / ACTIONS_PER_COMMENT);
/** Of a comment and its pointer, without the text. */
const COMMENT_OVERHEAD_BYTES = 2_000;

/** Comments in portions that fit one transaction each. */
function* batches(comments: CommentItem[]): Generator<CommentItem[]> {
  let batch: CommentItem[] = [];
  let size = 0;
  for (const comment of comments) {
    const more = bytes(comment.text) + COMMENT_OVERHEAD_BYTES;
    if (batch.length === MAX_COMMENTS || size + more > MAX_TRANSACTION_BYTES) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(comment);
    size += more;
  }
  if (batch.length > 0) yield batch;
}
