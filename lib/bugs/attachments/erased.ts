import { timestamp } from '../../base/time.ts';
import { BugzillaError } from '../../errors.ts';
import type { Table } from '../../table/client.ts';
import { attachmentPartKey } from '../../table/keys.ts';
import { type Action, deleteItem } from '../../table/write.ts';
import { divide } from './data.ts';
import { type AttachmentRepository, putAttachmentActions } from './repository.ts';
import type { AttachmentItem } from './schema.ts';

/** What stands in the place of the data of an attachment that an administrator has erased. */
export const ERASED_DATA: Buffer = Buffer.from('This attachment was erased by an administrator.\n');

/** What the data is then. */
export const ERASED_FIELDS = {
  content_type: 'text/plain',
  is_patch: false,
  size: ERASED_DATA.length,
} as const;

/** Whether the data of an attachment was erased. It is read where its size is that of the mark; damaged data is not the mark. */
export async function isErased(
  attachment: AttachmentItem,
  attachments: Pick<AttachmentRepository, 'data'>,
): Promise<boolean> {
  if (attachment.size !== ERASED_DATA.length) return false;
  const stored = await attachments.data(attachment).catch((error: unknown) => {
    if (error instanceof BugzillaError) return undefined;
    throw error;
  });
  return stored?.equals(ERASED_DATA) === true;
}

/**
 * Removes the data of an attachment but for its first part.
 *
 * @param next the fields that it has then, beside those of erased data
 * @returns the actions that put the mark in the place of the rest. Before they are executed the data is damaged, and the same call
 * completes it.
 */
export async function eraseData(table: Table, read: AttachmentItem, next: AttachmentItem): Promise<Action[]> {
  const [data = ERASED_DATA, ...more] = await divide(ERASED_DATA);
  if (more.length > 0) throw new Error('The mark does not fit an item');
  for (let part = 1; part < read.parts; part += 1) await deleteItem(table, attachmentPartKey(read.id, part));
  const first = { attachment_id: read.id, written_at: timestamp(table.now()), data };
  return [
    { put: { ...attachmentPartKey(read.id, 0), ...first } },
    ...putAttachmentActions(read, { ...next, ...ERASED_FIELDS, parts: 1 }),
  ];
}
