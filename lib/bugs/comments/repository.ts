import type { Table } from '../../table/client.ts';
import { allocateIds } from '../../table/counters.ts';
import {
  bugPartition,
  commentKey,
  commentPointerKey,
  commentRange,
  commentRangeAfter,
  commentRangeBefore,
  commentRangeUntil,
  type Key,
} from '../../table/keys.ts';
import { readFirst, readItems, readPages, withKey } from '../../table/read.ts';
import { ABSENT, type Action, updateItem } from '../../table/write.ts';
import {
  type CommentItem,
  type CommentPart,
  type CommentPointer,
  commentItem,
  commentPointerItem,
} from './schema.ts';
import { wordIndex, wordSource } from './word-index.ts';

export type CommentRepository = ReturnType<typeof commentRepository>;

/** Comments: reading, ids and privacy. New comments are written in the transaction of their bug: see lib/bugs/. */
export function commentRepository(table: Table) {
  const words = wordIndex(table);
  return {
    /**
     * A bug's comments, oldest first, page by page (at most 1 MB each).
     *
     * @param since `YYYY-MM-DDThh:mm:ssZ`: only newer ones are read
     */
    ofBug: (bug: number, since?: string): AsyncGenerator<CommentItem[]> =>
      readPages(table, { pk: bugPartition(bug), ...commentRange(since) }, commentItem),

    /** A part of a bug's comments, in its order, page by page. */
    partOfBug: (
      bug: number,
      { since, before, limit, isNewest }: CommentPart,
    ): AsyncGenerator<CommentItem[]> => {
      const range = before === undefined ? commentRange(since) : commentRangeBefore(before, since);
      const paging = { isReverse: isNewest, ...(limit === undefined ? {} : { pageSize: limit }) };
      return readPages(table, { pk: bugPartition(bug), ...range }, commentItem, paging);
    },

    /** The comments of a bug that follow a given one, oldest first, page by page. */
    following: ({ bug_id, creation_time, count }: CommentPointer): AsyncGenerator<CommentItem[]> =>
      readPages(table, { pk: bugPartition(bug_id), ...commentRangeAfter(creation_time, count) }, commentItem),

    /**
     * The count of a bug's last comment that is not newer than `since`; none: -1.
     *
     * @param since `YYYY-MM-DDThh:mm:ssZ`
     */
    async lastCountUntil(bug: number, since: string): Promise<number> {
      const range = { pk: bugPartition(bug), ...commentRangeUntil(since) };
      const [last] = await readFirst(table, range, commentItem, 1, 'descending');
      return last?.count ?? -1;
    },

    /** A bug's first comment, if it has one. */
    async description(bug: number): Promise<CommentItem | undefined> {
      const [first] = await readFirst(table, { pk: bugPartition(bug), ...commentRange() }, commentItem, 1);
      return first;
    },

    /** The ids of the bugs that comments belong to, by comment id; unknown ids are left out. */
    async bugsOf(ids: number[]): Promise<Map<number, number>> {
      const idByKey = new Map(ids.map((id) => [commentPointerKey(id).pk, id]));
      const pointers = await readItems(table, ids.map(commentPointerKey), withKey(commentPointerItem));
      return new Map(
        pointers.flatMap(({ pk, bug_id }) => {
          const id = idByKey.get(pk);
          return id === undefined ? [] : [[id, bug_id]];
        }),
      );
    },

    /** Pointers of the comments with these ids; unknown ids are left out. */
    pointers: (ids: number[]): Promise<CommentPointer[]> =>
      readItems(table, ids.map(commentPointerKey), commentPointerItem),

    /** Comments by id; unknown ones are left out. */
    async byIds(ids: number[]): Promise<Map<number, CommentItem>> {
      const pointers = await this.pointers(ids);
      const comments = await readItems(table, pointers.map(commentKey), commentItem);
      return new Map(comments.map((comment) => [comment.id, comment]));
    },

    /** The comments with these keys; absent ones are left out. */
    byKeys: (keys: Key[]): Promise<CommentItem[]> => readItems(table, keys, commentItem),

    /** Allocates ids for new comments: consecutive, the first of them is returned. */
    allocateId: (count = 1): Promise<number> => allocateIds(table, 'comment', count),

    /** Makes an existing comment private or public; everybody may search for the words of a public one. */
    async setPrivacy(comment: CommentItem, isPrivate: boolean): Promise<void> {
      if (!isPrivate) await words.addAll([wordSource({ ...comment, is_private: false })]);
      await updateItem(table, {
        update: commentKey(comment),
        set: 'SET is_private = :private',
        condition: 'attribute_exists(pk)',
        values: { ':private': isPrivate },
      });
    },
  };
}

/** Transaction actions that each comment takes. */
export const ACTIONS_PER_COMMENT = 2;

/** The transaction actions that write a new comment with its pointer. */
export function putCommentActions(comment: CommentItem): Action[] {
  const { id, bug_id, creation_time, count } = comment;
  return [
    { put: { ...commentKey(comment), ...comment }, condition: ABSENT },
    { put: { ...commentPointerKey(id), bug_id, creation_time, count }, condition: ABSENT },
  ];
}
