import { isDeepStrictEqual } from 'node:util';
import type { AttachmentRepository } from '../attachments/repository.ts';
import { type AttachmentItem, attachmentItem } from '../attachments/schema.ts';
import type { CatalogueBug, Problem } from './schema.ts';

/** The attachments of a catalogue whose ids other bugs have. */
export async function attachmentProblems(
  { attachments: given = [] }: CatalogueBug,
  bugId: number | undefined,
  path: PropertyKey[],
  attachments: AttachmentRepository,
): Promise<Problem[]> {
  if (given.length === 0) return [];
  const known = await attachments.byIds(given.map(({ id }) => id));
  return given.flatMap(({ id }, index) => {
    const holder = known.get(id)?.bug_id;
    return holder === undefined || holder === bugId
      ? []
      : [
          {
            path: [...path, 'attachments', index, 'id'],
            message: `bug ${holder} has an attachment with this id`,
          },
        ];
  });
}

/**
 * Adds and changes the attachments of a bug that a catalogue has; others stay. Data is written first.
 *
 * @returns how many attachments the bug has then, and whether one was added or changed
 */
export async function writeAttachments(
  bugId: number,
  { attachments: given = [] }: CatalogueBug,
  attachments: AttachmentRepository,
): Promise<{ count: number; isChanged: boolean }> {
  const known = new Map((await attachments.ofBug(bugId)).map((one) => [one.id, one]));
  let isChanged = false;
  for (const { data, ...fields } of given) {
    const bytes = Buffer.from(data, 'base64');
    const existing = known.get(fields.id);
    const desired = (parts: number): AttachmentItem =>
      attachmentItem.parse({
        ...fields,
        bug_id: bugId,
        size: bytes.length,
        parts,
        revision: existing?.revision ?? 0,
      });
    const isKnown = existing !== undefined && existing.size === bytes.length;
    if (isKnown && isDeepStrictEqual(existing, desired(existing.parts))) continue;
    const parts = isKnown ? existing.parts : await attachments.putData(fields.id, bytes);
    await attachments.put(existing, desired(parts));
    known.set(fields.id, desired(parts));
    isChanged = true;
  }
  return { count: known.size, isChanged };
}
