import { isDeepStrictEqual } from 'node:util';
import { ERASED_DATA, ERASED_FIELDS, eraseData, isErased } from '../bugs/attachments/erased.ts';
import { type AttachmentRepository, putAttachmentActions } from '../bugs/attachments/repository.ts';
import { type AttachmentItem, attachmentItem } from '../bugs/attachments/schema.ts';
import type { NewBug } from '../bugs/store/bulk-repository.ts';
import { BugzillaError } from '../errors.ts';
import type { Table } from '../table/client.ts';
import type { CatalogueBug, Problem } from './schema.ts';

/**
 * The attachments of a catalogue whose ids other bugs have, or that have other data in the table: data does not change, but is
 * erased where the catalogue has the mark of erased data.
 *
 * @param holders the attachments of the table, by id
 */
export async function attachmentProblems(
  { attachments: given = [] }: CatalogueBug,
  bugId: number | undefined,
  path: PropertyKey[],
  holders: ReadonlyMap<number, AttachmentItem>,
  attachments: AttachmentRepository,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const [index, { id, data }] of given.entries()) {
    const holder = holders.get(id);
    if (holder === undefined) continue;
    const problem = (field: string, message: string) =>
      problems.push({ path: [...path, 'attachments', index, field], message });
    if (holder.bug_id !== bugId) problem('id', `bug ${holder.bug_id} has an attachment with this id`);
    else if (await differs(await data.read(), holder, attachments)) {
      problem('data', `the attachment ${id} has other data`);
    }
  }
  return problems;
}

/** Whether data is not that of an attachment, nor the mark of erased data. Damaged data is not compared. */
async function differs(
  data: Buffer,
  holder: AttachmentItem,
  attachments: AttachmentRepository,
): Promise<boolean> {
  if (data.equals(ERASED_DATA)) return false;
  if (holder.size !== data.length) return !(await isErased(holder, attachments));
  const stored = await attachments.data(holder).catch((error: unknown) => {
    if (error instanceof BugzillaError) return undefined;
    throw error;
  });
  return stored !== undefined && !stored.equals(data) && !stored.equals(ERASED_DATA);
}

/**
 * Writes the data of the attachments of a bug that a catalogue has, one at a time; the actions then write the
 * attachments. Others stay.
 *
 * @param stored the attachments that the bug has in the table
 * @returns actions for each attachment, in the order of the catalogue; count: how many attachments the bug has then
 */
export async function writeAttachmentData(
  table: Table,
  bugId: number,
  { attachments: given = [] }: CatalogueBug,
  stored: readonly AttachmentItem[],
  attachments: AttachmentRepository,
): Promise<{ actions: NewBug['attachments']; count: number }> {
  const known = new Map(stored.map((one) => [one.id, one]));
  const actions: NewBug['attachments'] = [];
  for (const { data, ...fields } of given) {
    const bytes = await data.read();
    const existing = known.get(fields.id);
    const isErasedHere = existing !== undefined && (await isErased(existing, attachments));
    const isMark = bytes.equals(ERASED_DATA);
    const desired = (parts: number): AttachmentItem =>
      attachmentItem.parse({
        ...fields,
        bug_id: bugId,
        size: existing?.size ?? bytes.length,
        ...(isErasedHere || isMark ? ERASED_FIELDS : {}),
        parts,
        revision: existing?.revision ?? 0,
      });
    if (existing !== undefined && isDeepStrictEqual(existing, desired(existing.parts))) continue;
    if (existing !== undefined && isMark && !isErasedHere) {
      actions.push(await eraseData(table, existing, desired(1)));
      known.set(fields.id, desired(1));
      continue;
    }
    const parts = existing?.parts ?? (await writeData(fields.id, bytes, attachments));
    actions.push(putAttachmentActions(existing, desired(parts)));
    known.set(fields.id, desired(parts));
  }
  return { actions, count: known.size };
}

/** Writes the data of a new attachment. @returns the number of its parts */
async function writeData(id: number, data: Uint8Array, attachments: AttachmentRepository): Promise<number> {
  const parts = await attachments.partsFor(1, data);
  await attachments.putParts([id], parts);
  return parts.length;
}
