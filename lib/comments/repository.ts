import type { BugItem } from '../bugs/schema.ts';
import type { Table } from '../dynamodb/client.ts';
import { allocateIds } from '../dynamodb/counters.ts';
import {
  bugPartition,
  commentKey,
  commentPointerKey,
  commentRange,
  commentRangeAfter,
} from '../dynamodb/keys.ts';
import { readItems, readPages } from '../dynamodb/read.ts';
import type { Action } from '../dynamodb/write.ts';
import { type CommentItem, type CommentPlace, commentItem, commentPointerItem } from './schema.ts';
import { writeAlone, writeComments, writeWithOthers } from './write-comments.ts';

/** A comment to be added. */
export interface NewComment {
  /** from allocateId */
  id: number;
  text: string;
  /** login */
  creator: string;
  isPrivate: boolean;
  /** hours */
  workTime: number;
}

export type CommentRepository = ReturnType<typeof commentRepository>;

/** The comments of the table. */
export function commentRepository(table: Table, now: () => Date) {
  return {
    /**
     * A bug's comments, oldest first, page by page (at most 1 MB each).
     *
     * @param since `YYYY-MM-DDThh:mm:ssZ`: only newer ones are read
     */
    async *ofBug(bug: number, since?: string): AsyncGenerator<CommentItem[]> {
      for await (const page of readPages(table, { pk: bugPartition(bug), ...commentRange(since) })) {
        yield page.map((item) => commentItem.parse(item));
      }
    },

    /** The comments that follow one in its bug, oldest first, page by page. */
    async *following({ bug_id, creation_time, count }: CommentPlace): AsyncGenerator<CommentItem[]> {
      const range = { pk: bugPartition(bug_id), ...commentRangeAfter(creation_time, count) };
      for await (const page of readPages(table, range)) {
        yield page.map((item) => commentItem.parse(item));
      }
    },

    /** Where the comments with these ids stand; unknown ones are left out. */
    async placesOf(ids: number[]): Promise<CommentPlace[]> {
      return (await readItems(table, ids.map(commentPointerKey))).map((item) =>
        commentPointerItem.parse(item),
      );
    },

    /** The comments at these places, by id. */
    async at(places: CommentPlace[]): Promise<Map<number, CommentItem>> {
      const keys = places.map(({ bug_id, creation_time, count }) => commentKey(bug_id, creation_time, count));
      const comments = (await readItems(table, keys)).map((item) => commentItem.parse(item));
      return new Map(comments.map((comment) => [comment.id, comment]));
    },

    /** An id for a comment to be added. */
    allocateId: (): Promise<number> => allocateIds(table, 'comment'),

    /**
     * Adds a comment to a bug: the next count, a time not before the last one's, all at once with the bug.
     *
     * @param read the bug as read before; another writer's comment may have come since
     * @param also what is written with it
     * @throws ConditionFailed when a condition of `also` does not hold
     */
    async add(
      read: BugItem,
      { id, text, creator, isPrivate, workTime }: NewComment,
      also: Action[] = [],
    ): Promise<void> {
      const draft = { id, bug_id: read.id, text, creator, is_private: isPrivate, work_time: workTime };
      const isWritten = await writeComments(table, read, [draft], now(), also);
      if (isWritten) return;
      if (also.length === 0) await writeWithOthers(table, draft, now);
      else await writeAlone(table, draft, now, also);
    },
  };
}
