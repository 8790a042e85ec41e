import { putCommentActions } from '../comments/repository.ts';
import { sumOfHours } from '../comments/validation.ts';
import { bugKey } from '../dynamodb/keys.ts';
import type { Action } from '../dynamodb/write.ts';
import type { User } from '../users/caller.ts';
import { type BugChange, fieldChanges, historyChanges } from './changes.ts';
import { putHistoryAction } from './history.ts';
import type { BugItem, HistoryItem } from './schema.ts';
import { searchIndexActions } from './search-index.ts';
import { unchanged } from './unchanged.ts';

/**
 * The transaction action that replaces a bug; its condition fails when the bug was changed, or a comment added, since
 * it was read.
 */
export function replaceBugAction(read: BugItem, next: BugItem): Action {
  return { put: { ...bugKey(next.id), ...next }, ...unchanged(read) };
}

/** A change with its time, as it is written. */
export interface DatedChange {
  bug: BugItem;
  actions: Action[];
}

/**
 * Dates a change: with the bug as it is then, and the transaction actions that write it, its comments, its history and
 * its search index. The aliases are left to the caller.
 *
 * @param now `YYYY-MM-DDThh:mm:ssZ`; the change is not before what happened to the bug already
 */
export function dateChange(user: User, change: BugChange, now: string): DatedChange {
  const { before, after, comments, privacy } = change;
  const time = [now, before.last_change_time, before.last_comment_time].sort().at(-1) ?? now;
  const revision = before.revision + 1;
  const bug: BugItem = {
    ...after,
    revision,
    last_change_time: time,
    last_comment_time: comments.length === 0 ? before.last_comment_time : time,
    comment_count: before.comment_count + comments.length,
    hours_worked: sumOfHours([before.hours_worked, ...comments.map(({ workTime }) => workTime)]),
  };
  const changes = historyChanges(fieldChanges(change), change);
  const entry: HistoryItem = { bug_id: bug.id, when: time, who: user.login, changes };
  const actions: Action[] = [
    replaceBugAction(before, bug),
    ...searchIndexActions(before, bug),
    ...(changes.length === 0 ? [] : [putHistoryAction(entry, revision)]),
    ...comments.flatMap(({ id, text, isPrivate, workTime }, index) =>
      putCommentActions({
        id,
        bug_id: bug.id,
        count: before.comment_count + index,
        text,
        creator: user.login,
        creation_time: time,
        is_private: isPrivate,
        attachment_id: null,
        work_time: workTime,
        tags: [],
      }),
    ),
    ...privacy.map(
      ({ key, isPrivate }): Action => ({
        update: key,
        set: 'SET is_private = :private',
        condition: 'attribute_exists(pk)',
        values: { ':private': isPrivate },
      }),
    ),
  ];
  return { bug, actions };
}
