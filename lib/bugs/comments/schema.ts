import * as z from 'zod/mini';
import type { ListPart } from '../../base/list-part.ts';
import { idempotencyRecord } from '../../table/idempotency.ts';

/** What the author of a comment decides. */
const content = {
  text: z.string(),
  is_private: z.boolean(),
  /** of the attachment that it is about */
  attachment_id: z.nullable(z.int()),
  /** hours */
  work_time: z.number(),
};

/** A stored comment. */
export const commentItem = z.object({
  id: z.int(),
  bug_id: z.int(),
  /** 0 for the description, then without gaps */
  count: z.int(),
  /** login */
  creator: z.string(),
  /** `YYYY-MM-DDThh:mm:ssZ` */
  creation_time: z.string(),
  ...content,
  /** as first spelled on this comment, not sorted */
  tags: z.array(z.string()),
  /**
   * Of the bug after the change that it came with, or when it was added without one: so its event can be sent again as it was. Absent
   * where the table has no stream, in what a catalogue wrote, and in comments of 1.1 and before.
   */
  revision: z.optional(z.int()),
  /** the count of the first comment that was committed with it; absent: it came with a change */
  batch: z.optional(z.int()),
  /** of the change that created its attachment; absent: another, or `revision` is absent */
  creates_attachment: z.optional(z.literal(true)),
});
export type CommentItem = z.infer<typeof commentItem>;

/** Pointer from a comment id to the comment's key. */
export const commentPointerItem = z.object({
  bug_id: z.int(),
  creation_time: z.string(),
  count: z.int(),
});
export type CommentPointer = z.infer<typeof commentPointerItem>;

/** A comment that has no count and time yet. */
export const pendingComment = z.object({
  ...{ id: z.int(), bug_id: z.int(), creator: z.string() },
  ...content,
  // What 1.1 left in a queue lacks it.
  attachment_id: z._default(content.attachment_id, null),
  /** stored together with the comment */
  idempotency: z.optional(idempotencyRecord),
});
export type PendingComment = z.infer<typeof pendingComment>;

/** What a request says of a new comment. */
export type CommentContent = Pick<PendingComment, keyof typeof content>;

/** A comment in the queue of its bug. */
export const queuedComment = z.extend(pendingComment, {
  /** seconds since 1970: its request has ended by then */
  expires_at: z.int(),
});
export type QueuedComment = z.infer<typeof queuedComment>;

/** Which comments of a bug a request wants. */
export interface CommentPart extends ListPart {
  /** `YYYY-MM-DDThh:mm:ssZ`: only newer ones */
  since: string | undefined;
  /** only those before this one */
  before: CommentPointer | undefined;
}
