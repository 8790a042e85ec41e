import { putCommentActions } from '../comments/repository.ts';
import type { CommentDraft, CommentItem } from '../comments/schema.ts';
import type { Table } from '../dynamodb/client.ts';
import { allocateIds } from '../dynamodb/counters.ts';
import { ConditionFailed } from '../dynamodb/errors.ts';
import { aliasKey, bugKey, canBeKey } from '../dynamodb/keys.ts';
import { readItem, readItems } from '../dynamodb/read.ts';
import { ABSENT, type Action, retryConflicts, transactWrite } from '../dynamodb/write.ts';
import { errors } from '../errors.ts';
import type { RecordFor } from '../idempotency/repository.ts';
import { idempotencyActions } from '../idempotency/repository.ts';
import { isAllDigits } from '../ids.ts';
import { timestamp } from '../time.ts';
import type { User } from '../users/caller.ts';
import { aliasActions } from './aliases.ts';
import { appendDrafts } from './append-comments.ts';
import { addQueuedComment } from './comment-queue.ts';
import { type BugItem, bugItem, bugPointerItem } from './schema.ts';

/** A bug to be created; the repository adds what follows from the time and the user. */
export type NewBug = Omit<
  BugItem,
  | 'id'
  | 'reporter'
  | 'creation_time'
  | 'last_change_time'
  | 'comment_count'
  | 'last_comment_time'
  | 'hours_worked'
>;

/** A comment to be added. */
export interface NewComment {
  /** allocated before */
  id: number;
  text: string;
  isPrivate: boolean;
  /** hours */
  workTime: number;
}

export type BugRepository = ReturnType<typeof bugRepository>;

/** The bugs of the table, with their aliases and comments. */
export function bugRepository(table: Table, now: () => Date) {
  return {
    /**
     * The id that a text names: all digits are an id, anything else is an alias, in any case, trimmed.
     *
     * @returns undefined for an unknown alias
     */
    async idOf(given: string): Promise<number | undefined> {
      const name = given.trim();
      if (isAllDigits(name)) return Number(name);
      const item = canBeKey(name) ? await readItem(table, aliasKey(name)) : undefined;
      return item === undefined ? undefined : bugPointerItem.parse(item).bug_id;
    },

    /** A bug; unknown: undefined. */
    async byId(id: number): Promise<BugItem | undefined> {
      const item = await readItem(table, bugKey(id));
      return item === undefined ? undefined : bugItem.parse(item);
    },

    /** Bugs by id; unknown ones are left out. */
    async byIds(ids: number[]): Promise<Map<number, BugItem>> {
      const bugs = (await readItems(table, ids.map(bugKey))).map((item) => bugItem.parse(item));
      return new Map(bugs.map((bug) => [bug.id, bug]));
    },

    /**
     * Creates a bug with its description.
     *
     * @param user becomes the reporter
     * @param given each alias once
     * @param recordFor the idempotency record of the request
     * @returns the id of the bug
     * @throws errors.aliasTaken (400, 103), ConditionFailed for a concurrent request with the same `Idempotency-Key`
     */
    async create(
      user: User,
      given: NewBug,
      { text, isPrivate }: { text: string; isPrivate: boolean },
      recordFor: RecordFor,
    ): Promise<number> {
      const [id, commentId] = await Promise.all([allocateIds(table, 'bug'), allocateIds(table, 'comment')]);
      const time = timestamp(now());
      const bug: BugItem = {
        ...given,
        id,
        reporter: user.login,
        creation_time: time,
        last_change_time: time,
        comment_count: 1,
        last_comment_time: time,
        hours_worked: 0,
      };
      const description: CommentItem = {
        id: commentId,
        bug_id: id,
        count: 0,
        text,
        creator: user.login,
        creation_time: time,
        is_private: isPrivate,
        attachment_id: null,
        work_time: 0,
        tags: [],
      };
      const actions: Action[] = [
        ...aliasActions(bug, []),
        { put: { ...bugKey(id), ...bug }, condition: ABSENT },
        ...putCommentActions(description),
        ...idempotencyActions(recordFor(id), now()),
      ];
      try {
        await retryConflicts(table, () => transactWrite(table, actions));
      } catch (error) {
        if (!(error instanceof ConditionFailed)) throw error;
        const taken = bug.aliases.find((_, index) => error.indices.has(index));
        throw taken === undefined ? error : errors.aliasTaken(taken);
      }
      return id;
    },

    /**
     * Adds a comment to a bug: with the next count, a time not before the last comment's, and its idempotency record,
     * in one transaction with the bug. Writers that lose the race enqueue their comment; the head of the queue commits
     * the batch (group commit).
     *
     * @param user becomes the author
     * @param bug as it was read; comments may have been added since
     * @throws DuplicateRequest when a request with the same `Idempotency-Key` was committed meanwhile
     * @throws RetriesExhausted when the comment was not written before the deadline
     */
    async addComment(
      user: User,
      bug: BugItem,
      { id, text, isPrivate, workTime }: NewComment,
      recordFor: RecordFor = () => undefined,
    ): Promise<void> {
      const idempotency = recordFor(id);
      const draft: CommentDraft = {
        id,
        bug_id: bug.id,
        text,
        creator: user.login,
        is_private: isPrivate,
        work_time: workTime,
        ...(idempotency === undefined ? {} : { idempotency }),
      };
      const stale = await appendDrafts(table, bug, [draft], now());
      if (stale !== undefined) await addQueuedComment(table, draft, now);
    },
  };
}
