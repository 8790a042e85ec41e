import { putCommentActions } from '../comments/repository.ts';
import { type CommentDraft, type CommentItem, commentItem, commentPointerItem } from '../comments/schema.ts';
import type { Table } from '../dynamodb/client.ts';
import { allocateIds } from '../dynamodb/counters.ts';
import { ConditionFailed, TransactionConflict } from '../dynamodb/errors.ts';
import {
  aliasKey,
  BUG_SORT_KEY,
  bugKey,
  bugPartition,
  canBeKey,
  commentKey,
  commentPointerKey,
  historyRange,
} from '../dynamodb/keys.ts';
import { anyItem, type Item, readItem, readItems, readRange } from '../dynamodb/read.ts';
import {
  ABSENT,
  type Action,
  MAX_TRANSACTION_ACTIONS,
  MAX_TRANSACTION_BYTES,
  transactWrite,
} from '../dynamodb/write.ts';
import { errors } from '../errors.ts';
import type { RecordFor } from '../idempotency/repository.ts';
import { idempotencyActions } from '../idempotency/repository.ts';
import { isAllDigits } from '../ids.ts';
import { bytes } from '../text.ts';
import { timestamp } from '../time.ts';
import type { User } from '../users/caller.ts';
import { aliasActions, newAliases } from './aliases.ts';
import { appendDrafts } from './append-comments.ts';
import type { AddedComment, BugChange } from './changes.ts';
import { addQueuedComment } from './comment-queue.ts';
import { type BugItem, bugItem, bugPointerItem, type HistoryItem, historyItem } from './schema.ts';
import { searchIndexActions } from './search-index.ts';
import { dateChange } from './write-bug.ts';

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
  | 'revision'
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
  /**
   * Writes a transaction.
   *
   * @param aliases the new ones, whose actions come first in this order
   * @param own how many actions depend on no other bug's state
   * @returns false when a bug was written since it was read: nothing was written
   */
  async function commit(actions: Action[], aliases: readonly string[], own: number): Promise<boolean> {
    if (actions.length > MAX_TRANSACTION_ACTIONS) {
      throw errors.requestTooLarge(
        `at most ${MAX_TRANSACTION_ACTIONS} items, such as users on CC, aliases and other bugs`,
      );
    }
    if (bytes(JSON.stringify(actions)) > MAX_TRANSACTION_BYTES) {
      throw errors.requestTooLarge('3.5 MB with texts, histories and comments');
    }
    try {
      await transactWrite(table, actions);
      return true;
    } catch (error) {
      if (error instanceof TransactionConflict) return false;
      if (!(error instanceof ConditionFailed)) throw error;
      const taken = aliases.find((_, index) => error.indices.has(index));
      if (taken !== undefined) throw errors.aliasTaken(taken);
      if ([...error.indices].some((index) => index >= own)) return false;
      throw error;
    }
  }

  return {
    /**
     * The id that a text names: all digits are an id, anything else is an alias, in any case, trimmed.
     *
     * @returns undefined for an unknown alias
     */
    async idOf(given: string): Promise<number | undefined> {
      const name = given.trim();
      if (isAllDigits(name)) return Number(name);
      if (!canBeKey(name)) return undefined;
      return (await readItem(table, aliasKey(name), bugPointerItem))?.bug_id;
    },

    /** A bug; unknown: undefined. */
    byId: (id: number): Promise<BugItem | undefined> => readItem(table, bugKey(id), bugItem),

    /** Bugs by id; unknown ones are left out. */
    async byIds(ids: number[]): Promise<Map<number, BugItem>> {
      const bugs = await readItems(table, ids.map(bugKey), bugItem);
      return new Map(bugs.map((bug) => [bug.id, bug]));
    },

    /** Comments by id, each with its bug, in two sequential reads; unknown ones are left out. */
    async commentsWithBugs(ids: number[]): Promise<Map<number, { comment: CommentItem; bug: BugItem }>> {
      const pointers = await readItems(table, ids.map(commentPointerKey), commentPointerItem);
      const keys = pointers.flatMap((pointer) => [commentKey(pointer), bugKey(pointer.bug_id)]);
      const items = await readItems(table, keys, anyItem);
      const isBug = ({ sk }: Item) => sk === BUG_SORT_KEY;
      const bugs = new Map(items.filter(isBug).map((item) => [item.pk, bugItem.parse(item)]));
      return new Map(
        items.flatMap((item) => {
          const bug = bugs.get(item.pk);
          if (isBug(item) || bug === undefined) return [];
          const comment = commentItem.parse(item);
          return [[comment.id, { comment, bug }]];
        }),
      );
    },

    /**
     * What changed of a bug, oldest first.
     *
     * @param since `YYYY-MM-DDThh:mm:ssZ`: only later changes are read
     */
    history: (id: number, since?: string): Promise<HistoryItem[]> =>
      readRange(table, { pk: bugPartition(id), ...historyRange(since) }, historyItem),

    /** Allocates an id for a new bug. */
    allocateId: (): Promise<number> => allocateIds(table, 'bug'),

    /**
     * Creates a bug with its description, and changes the bugs that it refers to, in one transaction.
     *
     * @param user becomes the reporter
     * @param id allocated before
     * @param given each alias once
     * @param related changes of other bugs
     * @returns false when one of the other bugs was written since it was read: nothing was written
     * @throws errors.aliasTaken (400, 103), errors.requestTooLarge (400, 32000), ConditionFailed for a concurrent
     * request with the same `Idempotency-Key`
     */
    async create(
      user: User,
      id: number,
      given: NewBug,
      description: AddedComment,
      related: readonly BugChange[],
      recordFor: RecordFor,
    ): Promise<boolean> {
      const time = timestamp(now());
      const bug: BugItem = {
        ...given,
        id,
        reporter: user.login,
        creation_time: time,
        last_change_time: time,
        comment_count: 1,
        last_comment_time: time,
        hours_worked: description.workTime,
        revision: 0,
      };
      const comment: CommentItem = {
        id: description.id,
        bug_id: id,
        count: 0,
        text: description.text,
        creator: user.login,
        creation_time: time,
        is_private: description.isPrivate,
        attachment_id: null,
        work_time: description.workTime,
        tags: [],
      };
      const aliases = aliasActions(bug, []);
      const own: Action[] = [
        ...aliases,
        { put: { ...bugKey(id), ...bug }, condition: ABSENT },
        ...searchIndexActions(undefined, bug),
        ...putCommentActions(comment),
        ...idempotencyActions(recordFor(id), now()),
      ];
      const others = related.flatMap((change) => dateChange(user, change, time).actions);
      return commit([...own, ...others], given.aliases, own.length);
    },

    /**
     * Makes all of these changes, or none: bugs, comments, histories and the search index in one transaction.
     *
     * @param user whose rights to make them were checked
     * @returns the bugs as they are then, by id; undefined when one of them was written since it was read
     * @throws errors.aliasTaken (400, 103), errors.requestTooLarge (400, 32000)
     */
    async update(user: User, changes: readonly BugChange[]): Promise<Map<number, BugItem> | undefined> {
      const time = timestamp(now());
      const dated = changes.map((change) => dateChange(user, change, time));
      const aliased = changes.flatMap(({ before, after }) => aliasActions(after, before.aliases));
      const added = changes.flatMap(({ before, after }) => newAliases(after, before.aliases));
      const isWritten = await commit(
        [...aliased, ...dated.flatMap(({ actions }) => actions)],
        added,
        aliased.length,
      );
      return isWritten ? new Map(dated.map(({ bug }) => [bug.id, bug])) : undefined;
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
