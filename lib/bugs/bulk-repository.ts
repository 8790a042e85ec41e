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
import { bugKey, bugPartition, historyKey, historyRange } from '../dynamodb/keys.ts';
import { readRange } from '../dynamodb/read.ts';
import {
  ABSENT,
  type Action,
  batchWrite,
  MAX_TRANSACTION_ACTIONS,
  MAX_TRANSACTION_BYTES,
  transactWriteRetrying,
} from '../dynamodb/write.ts';
import { portions } from '../portions.ts';
import { bytes } from '../text.ts';
import { timestamp } from '../time.ts';
import { aliasActions } from './aliases.ts';
import { BUG_ACTIONS, countCommentsActions } from './append-comments.ts';
import { type BugItem, type HistoryItem, historyItem } from './schema.ts';
import { putBugActions } from './write-bug.ts';

/** Writes bugs with given ids, times and comments: for the catalogue. */
export function bulkBugRepository(table: Table, now: () => Date) {
  const write = (actions: Action[]) => transactWriteRetrying(table, actions);

  /**
   * Writes a bug with its aliases and its search index. More aliases than fit one transaction are written before it;
   * after an interruption the same call completes it.
   */
  async function writeBug(before: BugItem | undefined, after: BugItem): Promise<void> {
    const actions = putBugActions(before, after, timestamp(now()));
    const aliases = aliasActions(after, before?.aliases ?? []);
    actions.push(...aliases.splice(0, MAX_TRANSACTION_ACTIONS - actions.length));
    for (const portion of portions(aliases, { max: MAX_TRANSACTION_ACTIONS })) await write(portion);
    await write(actions);
  }

  /** The entries that the history of a bug lacks. */
  async function missingEntries({ id }: BugItem, desired: HistoryItem[]): Promise<HistoryItem[]> {
    const known = await readRange(table, { pk: bugPartition(id), ...historyRange() }, historyItem);
    return desired.filter((entry) => !known.some((one) => isDeepStrictEqual(one, entry)));
  }

  return {
    /**
     * Creates a bug with its comments. The comments are written first, where no request sees them before the bug
     * exists; an interrupted run can be repeated.
     *
     * @param bug its counts and last times follow from the comments
     * @param comments in order; their counts from 0
     * @param history oldest first
     * @param stale leftovers of an interrupted run, to be removed
     * @throws ConditionFailed when another writer created the bug, one of the comments, or an alias meanwhile
     */
    async create(
      bug: BugItem,
      comments: CommentItem[],
      history: HistoryItem[],
      stale: CommentItem[],
    ): Promise<void> {
      const stillAbsent: Action = { check: bugKey(bug.id), condition: ABSENT };
      for (const comment of stale) await write([stillAbsent, ...removeCommentActions(comment)]);
      for (const batch of batches(comments)) {
        await write([stillAbsent, ...batch.flatMap(resumeCommentActions)]);
      }
      await batchWrite(table, historyEntries(history, 0));
      const last = comments.at(-1)?.creation_time ?? bug.creation_time;
      const complete: BugItem = {
        ...bug,
        comment_count: comments.length,
        last_comment_time: last,
        last_change_time: last > bug.last_change_time ? last : bug.last_change_time,
        revision: history.length,
        hours_worked: sumOfHours(comments.map(({ work_time }) => work_time)),
      };
      await writeBug(undefined, complete);
    },

    /**
     * Replaces a bug, and its aliases.
     *
     * @param existing as it was read
     * @param history oldest first; what the bug has of it already stays
     * @returns the bug as it is then, and whether there was anything to change
     * @throws ConditionFailed when the bug was changed or a comment was added meanwhile, or another bug has an alias
     */
    async replace(
      existing: BugItem,
      desired: BugItem,
      history: HistoryItem[],
    ): Promise<{ bug: BugItem; isChanged: boolean }> {
      const missing = history.length === 0 ? [] : await missingEntries(existing, history);
      await batchWrite(table, historyEntries(missing, existing.revision));
      if (isDeepStrictEqual(existing, desired)) return { bug: existing, isChanged: missing.length > 0 };
      const next = { ...desired, revision: existing.revision + missing.length + 1 };
      await writeBug(existing, next);
      return { bug: next, isChanged: true };
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
          ...countCommentsActions(current, batch),
        ]);
        current = {
          ...current,
          comment_count: current.comment_count + batch.length,
          last_change_time: batch.at(-1)?.creation_time ?? current.last_change_time,
        };
      }
    },
  };
}

/** @param revision of the bug before them */
const historyEntries = (history: HistoryItem[], revision: number) =>
  history.map((item, index) => ({ ...historyKey(item.bug_id, item.when, revision + index + 1), ...item }));

/** Of a comment and its pointer, without the text. */
const COMMENT_OVERHEAD_BYTES = 2_000;

/** Comments in portions that fit one transaction each, with its actions for the bug. */
const batches = (comments: CommentItem[]) =>
  portions(
    comments,
    { max: MAX_TRANSACTION_ACTIONS - BUG_ACTIONS, sizeOf: () => ACTIONS_PER_COMMENT },
    { max: MAX_TRANSACTION_BYTES, sizeOf: ({ text }) => bytes(text) + COMMENT_OVERHEAD_BYTES },
  );
