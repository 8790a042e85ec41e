import * as z from 'zod/mini';
import { flagItems } from '../flags/schema.ts';

/** The fields of an attachment that responses have as they are stored, but for flags. */
export const attachmentFields = {
  id: z.int(),
  bug_id: z.int(),
  file_name: z.string(),
  summary: z.string(),
  content_type: z.string(),
  /** login */
  creator: z.string(),
  /** `YYYY-MM-DDThh:mm:ssZ` */
  creation_time: z.string(),
  last_change_time: z.string(),
  is_patch: z.boolean(),
  is_private: z.boolean(),
  is_obsolete: z.boolean(),
  /** of the data, in bytes */
  size: z.int(),
};

/** A stored attachment, without its data. */
export const attachmentItem = z.object({
  ...attachmentFields,
  flags: flagItems,
  /** number of the items that have the compressed data */
  parts: z.int(),
  /** number of writes: for optimistic locking */
  revision: z.int(),
});
export type AttachmentItem = z.infer<typeof attachmentItem>;

/** The pointer from an attachment to its bug. */
export const attachmentPointerItem = z.object({ bug_id: z.int() });

/** A part of the compressed data of an attachment, in a partition of its own. */
export const attachmentPartItem = z.object({
  attachment_id: z.int(),
  /** `YYYY-MM-DDThh:mm:ssZ`: parts without an attachment are leftovers after an hour */
  written_at: z.string(),
  data: z.instanceof(Uint8Array),
});
