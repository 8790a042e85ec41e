import { errors } from '../../errors.ts';
import type { Caller } from '../../people/caller.ts';
import type { Table } from '../../table/client.ts';
import { BUG_SORT_KEY, bugKey, commentKey, commentPointerKey } from '../../table/keys.ts';
import { anyItem, type Item, readItems } from '../../table/read.ts';
import { isCommentShown } from '../comments/presenter.ts';
import { type CommentItem, commentItem, commentPointerItem } from '../comments/schema.ts';
import { isVisible } from '../permissions.ts';
import { type BugItem, bugItem } from '../schema.ts';

/** Reads comments by id, each with its bug, in two sequential reads; unknown ones are left out. */
export const commentsWithBugs =
  (table: Table) =>
  async (ids: number[]): Promise<Map<number, { comment: CommentItem; bug: BugItem }>> => {
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
  };

/** The comments, if the caller may read all of them. */
export function requireReadableComments(
  found: readonly { comment: CommentItem; bug: BugItem }[],
  caller: Caller,
  isInsider: boolean,
): CommentItem[] {
  for (const { bug } of found) if (!isVisible(bug, caller)) throw errors.bugAccessDenied(String(bug.id));
  const comments = found.map(({ comment }) => comment);
  const hidden = comments.find((comment) => !isCommentShown(comment, isInsider));
  if (hidden !== undefined) throw errors.commentIsPrivate(hidden.id);
  return comments;
}
