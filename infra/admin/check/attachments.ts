import { attachmentPointerKey, type Key } from '../../../lib/table/keys.ts';
import { ABSENT } from '../../../lib/table/write.ts';
import { type Check, findingsOf, isRecent } from './finding.ts';
import { kinds, ofKind } from './item-kinds.ts';

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
