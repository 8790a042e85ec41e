import { sumOfHours } from '../../../lib/bugs/comments/validation.ts';
import type { BugItem } from '../../../lib/bugs/schema.ts';
import { attachmentPointerKey, type Key } from '../../../lib/table/keys.ts';
import { ABSENT } from '../../../lib/table/write.ts';
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
    const gaps = comments.flatMap(({ key, content: { count } }, index) =>
      findingsOf(key, [count !== index && `has the count ${count}, expected ${index}`]),
    );
    const totals = {
      comment_count: comments.length,
      last_comment_time: comments.at(-1)?.content.creation_time ?? bug.content.last_comment_time,
      hours_worked: sumOfHours(comments.map(({ content }) => content.work_time)),
      attachment_count: attachments.length,
    };
    return [...gaps.slice(0, 1), ...totalFindings(bug.key, bug.content, totals, gaps.length === 0)];
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

/**
 * An attachment has all items of its data. Data is a leftover of an upload only where nothing refers to its attachment:
 * no item, no pointer, no comment. Memory holds a key for each attachment and each item of data.
 */
export function attachmentsCheck(): Check {
  /** attachments, and how many items their data must have */
  const attachments = new Map<number, { key: Key; parts: number }>();
  /** the items of data that each has, with the times when they were written, `YYYY-MM-DDThh:mm:ssZ` */
  const data = new Map<number, { key: Key; written_at: string }[]>();
  /** the attachments that pointers and comments refer to */
  const mentioned = new Set<number>();
  return {
    async scan(items) {
      for (const { key, content } of ofKind(items, kinds.attachment)) {
        attachments.set(content.id, { key, parts: content.parts });
      }
      for (const { key, content } of ofKind(items, kinds.attachmentPart)) {
        const { attachment_id, written_at } = content;
        data.set(attachment_id, [...(data.get(attachment_id) ?? []), { key, written_at }]);
      }
      for (const { key } of ofKind(items, kinds.attachmentPointer)) {
        mentioned.add(Number(key.pk.split('#')[1]));
      }
      for (const { content } of ofKind(items, kinds.comment)) {
        if (content.attachment_id !== null) mentioned.add(content.attachment_id);
      }
      return [];
    },
    async finish() {
      const incomplete = [...attachments].flatMap(([id, { key, parts }]) => {
        const found = data.get(id)?.length ?? 0;
        return findingsOf(key, [found < parts && `has ${found} of ${parts} items of its data`]);
      });
      const stray = [...data].flatMap(([id, parts]) => {
        const violation = `is data of attachment ${id}, which ${mentioned.has(id) ? 'is lost' : 'does not exist'}`;
        const isUnknown = { check: attachmentPointerKey(id), condition: ABSENT };
        return parts
          .filter(({ written_at }) => !attachments.has(id) && !isRecent(written_at))
          .flatMap(({ key }) =>
            findingsOf(key, [
              mentioned.has(id) ? violation : { violation, repair: [{ remove: key }, isUnknown] },
            ]),
          );
      });
      return [...incomplete, ...stray];
    },
  };
}
