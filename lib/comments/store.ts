import { type BugItem, bugItem } from '../bugs/schema.ts';
import type { Table } from '../db/client.ts';
import { takeIds } from '../db/counters.ts';
import { bugKey, bugPartition, commentKey, commentPointerKey, commentRange } from '../db/keys.ts';
import { readItem, readItems, readPages } from '../db/reading.ts';
import { retrying } from '../db/retrying.ts';
import { ABSENT, ConditionFailed, writeTogether } from '../db/writing.ts';
import { errors } from '../errors.ts';
import { timestamp } from '../time.ts';
import { type CommentItem, type CommentPlace, commentItem, commentPointerItem } from './schema.ts';

/** A comment to be added. */
export interface NewComment {
  text: string;
  /** login */
  creator: string;
  isPrivate: boolean;
  /** hours */
  workTime: number;
}

export type CommentStore = ReturnType<typeof commentStore>;

/** The comments of the table. */
export function commentStore(table: Table, now: () => Date) {
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

    /**
     * Adds a comment to a bug: the next count, a time not before the last one's, all at once with the bug.
     *
     * @param read the bug as read before; another writer's comment may have come since
     * @returns the comment's id
     */
    async add(read: BugItem, { text, creator, isPrivate, workTime }: NewComment): Promise<number> {
      const id = await takeIds(table, 'comment');
      return retrying(async (attempt) => {
        const bug = attempt === 1 ? read : await currentBug(table, read.id);
        const time = laterOf(timestamp(now()), bug.last_comment_time);
        const count = bug.comment_count;
        const comment: CommentItem = {
          id,
          bug_id: bug.id,
          count,
          text,
          creator,
          creation_time: time,
          is_private: isPrivate,
          attachment_id: null,
          work_time: workTime,
          tags: [],
        };
        try {
          await writeTogether(table, [
            { put: { ...commentKey(bug.id, time, count), ...comment }, condition: ABSENT },
            {
              put: { ...commentPointerKey(id), bug_id: bug.id, creation_time: time, count },
              condition: ABSENT,
            },
            {
              update: bugKey(bug.id),
              set: 'SET comment_count = :next, last_comment_time = :time, last_change_time = :time ADD hours_worked :hours',
              condition: 'comment_count = :count',
              values: { ':next': count + 1, ':count': count, ':time': time, ':hours': workTime },
            },
          ]);
          return { done: true, value: id };
        } catch (error) {
          if (error instanceof ConditionFailed) return { done: false, reason: 'other comments came first' };
          throw error;
        }
      });
    },
  };
}

const laterOf = (a: string, b: string) => (b > a ? b : a);

async function currentBug(table: Table, id: number): Promise<BugItem> {
  const item = await readItem(table, bugKey(id));
  if (item === undefined) throw errors.bugUnknown(String(id));
  return bugItem.parse(item);
}
