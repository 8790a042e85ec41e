import { sumOfHours } from '../../../lib/bugs/comments/validation.ts';
import type { BugItem } from '../../../lib/bugs/schema.ts';
import type { Key } from '../../../lib/table/keys.ts';
import { type Check, type Finding, findingsOf, isRecent, partitionCheck, rewriteBug } from './finding.ts';
import { kinds, ofKind } from './item-kinds.ts';

/**
 * The comments of a bug are numbered without gaps, in the order of their times; the bug has their number, the time of
 * the last one and the sum of their hours, and the number of its attachments. Comments, attachments and changes belong to a bug.
 */
export const bugsCheck = (): Check =>
  partitionCheck('BUG', (items) => {
    const [applying] = ofKind(items, kinds.bugApplying);
    const [bug] = ofKind(items, kinds.bug);
    const comments = ofKind(items, kinds.comment);
    const attachments = ofKind(items, kinds.attachment);
    if (applying !== undefined) {
      // What belongs to a bug that a run writes in steps precedes it.
      return isRecent(applying.content.since) ? [] : findingsOf(applying.key, [INTERRUPTED]);
    }
    if (bug === undefined) {
      // All that is left of a lost bug: a repair deletes nothing that a user wrote.
      const left = [...attachments, ...comments, ...ofKind(items, kinds.history)];
      return left.flatMap(({ key }) => findingsOf(key, ['its bug does not exist']));
    }
    const gap = comments.find(({ content }, index) => content.count !== index);
    const gaps =
      gap === undefined
        ? []
        : findingsOf(gap.key, [`has the count ${gap.content.count}, expected ${comments.indexOf(gap)}`]);
    const totals = {
      comment_count: comments.length,
      last_comment_time: comments.at(-1)?.content.creation_time ?? bug.content.last_comment_time,
      hours_worked: sumOfHours(comments.map(({ content }) => content.work_time)),
      attachment_count: attachments.length,
    };
    return [...gaps, ...totalFindings(bug.key, bug.content, totals, gap === undefined)];
  });

const INTERRUPTED = 'a run of apply was interrupted while it wrote this bug: apply the file again';

const TOTALS = ['comment_count', 'last_comment_time', 'hours_worked', 'attachment_count'] as const;
type Totals = Pick<BugItem, (typeof TOTALS)[number]>;

/** Sums of hours are rounded after each comment. */
const HOURS_TOLERANCE = 0.000_001;

/** Compares a bug with the totals of its comments and attachments. */
function totalFindings(key: Key, bug: BugItem, totals: Totals, isGapless: boolean): Finding[] {
  const hours = sumOfHours([totals.hours_worked, -bug.hours_worked]);
  const isSameHours = Math.abs(hours) <= HOURS_TOLERANCE * (totals.comment_count + 1);
  const expected = isSameHours ? { ...totals, hours_worked: bug.hours_worked } : totals;
  const differing = TOTALS.filter((name) => expected[name] !== bug[name]);
  if (differing.length === 0) return [];
  const textOf = (of: Totals) => differing.map((name) => `${name} ${of[name]}`).join(', ');
  const violation = `has totals of ${textOf(bug)}, expected ${textOf(expected)}`;
  const lost = [bug.comment_count - totals.comment_count, bug.attachment_count - totals.attachment_count];
  const signature = `totals differ in ${differing.join(', ')} by ${lost.join(', ')}, ${hours} hours`;
  // With fewer than are counted one is lost, and the number of a comment must not be reused.
  const isRepairable = isGapless && lost.every((count) => count <= 0);
  return findingsOf(key, [
    { violation, signature, ...(isRepairable && { repair: rewriteBug(bug, expected) }) },
  ]);
}
