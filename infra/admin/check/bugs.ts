import type { CommentItem } from '../../../lib/bugs/comments/schema.ts';
import { sumOfHours } from '../../../lib/bugs/comments/validation.ts';
import type { BugItem } from '../../../lib/bugs/schema.ts';
import { bugKey, commentKey, type Key } from '../../../lib/table/keys.ts';
import type { Item } from '../../../lib/table/read.ts';
import type { Action } from '../../../lib/table/write.ts';
import { type Check, type Finding, findingsOf, isRecent, kindOfKey } from './finding.ts';
import { kinds, ofKind } from './item-kinds.ts';

/** A bug with the totals of its comments so far. */
interface BugTotals {
  bug: BugItem;
  comments: number;
  hours: number;
  lastTime: string;
  isGapless: boolean;
}

/**
 * The comments of a bug are numbered without gaps, in the order of their times; the bug has their number, the time of
 * the last one and the sum of their hours. Comments and changes belong to a bug.
 */
export function bugsCheck(): Check {
  let current: BugTotals | undefined;
  /** a bug that a run may be writing: what belongs to it precedes it */
  let begun: number | undefined;

  /** The sort key of a bug precedes those of its comments and changes. */
  function scanItem(item: Item): Finding[] {
    for (const { key, content } of ofKind([item], kinds.bugApplying)) {
      if (!isRecent(content.since)) return findingsOf(key, [INTERRUPTED]);
      begun = content.bug_id;
    }
    const orphan = (key: Key, { bug_id }: { bug_id: number }) =>
      bug_id === begun ? [] : orphanFindings(key);
    for (const { content: bug } of ofKind([item], kinds.bug)) {
      const finished = current;
      current = { bug, comments: 0, hours: 0, lastTime: bug.last_comment_time, isGapless: true };
      return totalFindings(finished);
    }
    for (const { key, content } of ofKind([item], kinds.history)) {
      if (current?.bug.id !== content.bug_id) return orphan(key, content);
    }
    for (const { key, content } of ofKind([item], kinds.comment)) {
      return current?.bug.id === content.bug_id ? addComment(current, content) : orphan(key, content);
    }
    return [];
  }

  return {
    scan: async (items) => items.filter(({ pk }) => kindOfKey(pk) === 'BUG').flatMap(scanItem),
    finish: async () => totalFindings(current),
  };
}

function addComment(totals: BugTotals, comment: CommentItem): Finding[] {
  const expected = totals.comments;
  totals.comments += 1;
  totals.hours += comment.work_time;
  totals.lastTime = comment.creation_time;
  if (comment.count === expected || !totals.isGapless) return [];
  totals.isGapless = false;
  return findingsOf(commentKey(comment), [`has the count ${comment.count}, expected ${expected}`]);
}

const INTERRUPTED = 'a run of apply was interrupted while it wrote this bug: apply the file again';

/**
 * Left by an interrupted run of `apply`, which resumes when it is run again, or all that is left of a lost bug: not
 * repaired, because only people can tell, and a repair deletes nothing that a user wrote.
 */
const orphanFindings = (key: Key): Finding[] => findingsOf(key, ['its bug does not exist']);

/** Sums of hours are rounded after each comment. */
const HOURS_TOLERANCE = 0.000_001;

/** Compares a bug with the totals of its comments. */
function totalFindings(totals: BugTotals | undefined): Finding[] {
  if (totals === undefined) return [];
  const { bug, comments, hours, lastTime: time, isGapless } = totals;
  const missingComments = comments - bug.comment_count;
  const missingHours = sumOfHours([hours, -bug.hours_worked]);
  const hasOtherHours = Math.abs(missingHours) > HOURS_TOLERANCE * (comments + 1);
  const isSameTime = time === bug.last_comment_time;
  if (missingComments === 0 && isSameTime && !hasOtherHours) return [];

  const stored = totalsText(bug.comment_count, bug.last_comment_time, bug.hours_worked);
  const violation = `has totals of ${stored}, expected ${totalsText(comments, time, hours)}`;
  const signature = `totals differ by ${missingComments} comments, ${missingHours} hours, same time: ${isSameTime}`;
  // With fewer comments than stored one is lost, and its number must not be reused.
  const isRepairable = isGapless && missingComments >= 0;
  const repair = isRepairable ? { repair: [updateTotals(totals)] } : {};
  return findingsOf(bugKey(bug.id), [{ violation, signature, ...repair }]);
}

const totalsText = (comments: number, time: string, hours: number) =>
  `${comments} comments, the last of ${time}, with ${sumOfHours([hours])} hours`;

const updateTotals = ({ bug, comments, hours, lastTime }: BugTotals): Action => ({
  update: bugKey(bug.id),
  set: 'SET comment_count = :comments, last_comment_time = :time, hours_worked = :hours',
  condition: 'comment_count = :read AND last_comment_time = :read_time',
  values: {
    ':comments': comments,
    ':time': lastTime,
    ':hours': sumOfHours([hours]),
    ':read': bug.comment_count,
    ':read_time': bug.last_comment_time,
  },
});
