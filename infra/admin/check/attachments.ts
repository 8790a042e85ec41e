import { attachmentPointerKey, bugKey, type Key } from '../../../lib/table/keys.ts';
import { ABSENT, type Action, PRESENT } from '../../../lib/table/write.ts';
import { type Check, type Finding, findingsOf, isRecent } from './finding.ts';
import { kinds, ofKind } from './item-kinds.ts';

/** The attachments of a bug. */
interface OfBug {
  keys: Key[];
  /** what the bug says; undefined: it does not exist */
  counted?: number;
  /** whether a run may be writing the bug */
  isBegun?: boolean;
}

/** An item with data of an attachment. */
interface Part {
  key: Key;
  /** `YYYY-MM-DDThh:mm:ssZ` */
  written_at: string;
}

/**
 * A bug has the number of its attachments, and each of them all items of its data. Data is a leftover of an upload only
 * where nothing refers to its attachment: no item, no pointer, no comment. Memory holds a key for each attachment and each
 * item of data, and a number for each bug that has some.
 */
export function attachmentsCheck(): Check {
  const bugs = new Map<number, OfBug>();
  /** attachments, and how many items their data must have */
  const attachments = new Map<number, { key: Key; parts: number }>();
  const data = new Map<number, Part[]>();
  /** the attachments that pointers and comments refer to */
  const mentioned = new Set<number>();
  const bugWith = (id: number): OfBug => {
    const bug = bugs.get(id) ?? { keys: [] };
    bugs.set(id, bug);
    return bug;
  };

  return {
    async scan(items) {
      for (const { content } of ofKind(items, kinds.bugApplying)) {
        if (isRecent(content.since)) bugWith(content.bug_id).isBegun = true;
      }
      for (const { key, content } of ofKind(items, kinds.attachment)) {
        bugWith(content.bug_id).keys.push(key);
        attachments.set(content.id, { key, parts: content.parts });
      }
      // The sort keys of attachments precede that of their bug.
      for (const { content: bug } of ofKind(items, kinds.bug)) {
        if (bug.attachment_count > 0 || bugs.has(bug.id)) bugWith(bug.id).counted = bug.attachment_count;
      }
      for (const { key, content } of ofKind(items, kinds.attachmentPart)) {
        const { attachment_id, written_at } = content;
        data.set(attachment_id, [...(data.get(attachment_id) ?? []), { key, written_at }]);
      }
      for (const { key } of ofKind(items, kinds.attachmentPointer))
        mentioned.add(Number(key.pk.split('#')[1]));
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
      const stray = [...data].flatMap(([id, parts]) =>
        attachments.has(id) ? [] : strayData(id, parts, mentioned.has(id)),
      );
      return [...[...bugs].flatMap(countFindings), ...incomplete, ...stray];
    },
  };
}

/** Data without its attachment: of an upload that goes on, that was interrupted, or of an attachment that was lost. */
function strayData(id: number, parts: readonly Part[], isMentioned: boolean): Finding[] {
  const pointer = attachmentPointerKey(id);
  return parts
    .filter(({ written_at }) => !isRecent(written_at))
    .flatMap(({ key }) => {
      if (isMentioned) return findingsOf(key, [`is data of attachment ${id}, which is lost`]);
      const violation = `is data of attachment ${id}, which does not exist`;
      return findingsOf(key, [
        { violation, repair: [{ remove: key }, { check: pointer, condition: ABSENT }] },
      ]);
    });
}

/** An attachment without its bug was left by an interrupted run of `apply`, or is all that is left of a lost bug. */
function countFindings([id, { keys, counted, isBegun = false }]: [number, OfBug]): Finding[] {
  if (counted === undefined && isBegun) return [];
  if (counted === undefined) return keys.flatMap((key) => findingsOf(key, ['its bug does not exist']));
  const found = keys.length;
  if (found === counted) return [];
  const violation = `has ${found} attachments, its count is ${counted}`;
  // With fewer attachments than counted one is lost.
  return findingsOf(bugKey(id), [
    found < counted ? violation : { violation, repair: [updateCount(id, counted, found)] },
  ]);
}

/** A bug of an earlier version has no count. */
const updateCount = (id: number, counted: number, found: number): Action => ({
  update: bugKey(id),
  set: 'SET attachment_count = :found, revision = if_not_exists(revision, :zero) + :one',
  condition:
    counted === 0
      ? `${PRESENT} AND (attribute_not_exists(attachment_count) OR attachment_count = :counted)`
      : 'attachment_count = :counted',
  values: { ':found': found, ':counted': counted, ':zero': 0, ':one': 1 },
});
