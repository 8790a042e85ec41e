import { bugKey, type Key } from '../../../lib/dynamodb/keys.ts';
import { type Action, PRESENT } from '../../../lib/dynamodb/write.ts';
import { type Check, type Finding, findingsOf } from './finding.ts';
import { kinds, ofKind } from './item-kinds.ts';

/** The attachments of a bug. */
interface OfBug {
  keys: Key[];
  /** what the bug says; undefined: it does not exist */
  counted?: number;
}

/**
 * A bug has the number of its attachments, and each of them all items of its data. Memory holds a key for each attachment,
 * and a number for each bug that has some.
 */
export function attachmentsCheck(): Check {
  const bugs = new Map<number, OfBug>();
  /** attachments, and how many items their data must have */
  const attachments = new Map<number, { key: Key; parts: number }>();
  /** how many items the data of attachments has */
  const stored = new Map<number, number>();
  const bugWith = (id: number): OfBug => {
    const bug = bugs.get(id) ?? { keys: [] };
    bugs.set(id, bug);
    return bug;
  };

  return {
    async scan(items) {
      for (const { key, content } of ofKind(items, kinds.attachment)) {
        bugWith(content.bug_id).keys.push(key);
        attachments.set(content.id, { key, parts: content.parts });
      }
      // The sort keys of attachments precede that of their bug.
      for (const { content: bug } of ofKind(items, kinds.bug)) {
        if (bug.attachment_count > 0 || bugs.has(bug.id)) bugWith(bug.id).counted = bug.attachment_count;
      }
      for (const { content } of ofKind(items, kinds.attachmentPart)) {
        stored.set(content.attachment_id, (stored.get(content.attachment_id) ?? 0) + 1);
      }
      return [];
    },
    async finish() {
      const incomplete = [...attachments].flatMap(([id, { key, parts }]) => {
        const found = stored.get(id) ?? 0;
        return findingsOf(key, [found < parts && `has ${found} of ${parts} items of its data`]);
      });
      return [...[...bugs].flatMap(countFindings), ...incomplete];
    },
  };
}

/** An attachment without its bug was left by an interrupted run of `apply`, or is all that is left of a lost bug. */
function countFindings([id, { keys, counted }]: [number, OfBug]): Finding[] {
  if (counted === undefined) return keys.flatMap((key) => findingsOf(key, ['its bug does not exist']));
  const found = keys.length;
  if (found === counted) return [];
  const violation = `has ${found} attachments, its count is ${counted}`;
  return findingsOf(bugKey(id), [{ violation, repair: [updateCount(id, counted, found)] }]);
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
