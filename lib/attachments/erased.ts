import { BugzillaError } from '../errors.ts';
import type { AttachmentRepository } from './repository.ts';
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
