import * as z from 'zod/mini';
import { idempotencyRecord } from '../idempotency/repository.ts';
import type { ListPart } from '../list-part.ts';

/** A stored comment. */
export const commentItem = z.object({
  id: z.int(),
  bug_id: z.int(),
  /** 0 for the description, then without gaps */
  count: z.int(),
  text: z.string(),
  /** login */
  creator: z.string(),
  /** `YYYY-MM-DDThh:mm:ssZ` */
  creation_time: z.string(),
  is_private: z.boolean(),
  attachment_id: z.nullable(z.int()),
  /** hours */
  work_time: z.number(),
  /** as first spelled on this comment, not sorted */
  tags: z.array(z.string()),
  /** of the bug after the change that it came with, or when it was added without one; absent: see CommentOrigin */
  revision: z.optional(z.int()),
  /** the count of the first comment that was committed with it; absent: it came with a change */
  batch: z.optional(z.int()),
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
export const commentDraft = z.object({
  id: z.int(),
  bug_id: z.int(),
  text: z.string(),
  creator: z.string(),
  is_private: z.boolean(),
  work_time: z.number(),
  /** stored together with the comment */
  idempotency: z.optional(idempotencyRecord),
});
export type CommentDraft = z.infer<typeof commentDraft>;

/**
 * Which change a comment belongs to, so that its event can be sent again as it was. Empty where the table has no stream, for
 * what a catalogue wrote, and for comments of version 1.1 and before.
 */
export type CommentOrigin = Pick<CommentItem, 'revision' | 'batch'>;

/** A draft as it is stored when it has its place in the bug. */
export const placeDraft = (
  { idempotency: _, ...draft }: CommentDraft,
  count: number,
  creation_time: string,
  origin: CommentOrigin,
): CommentItem => ({ ...draft, count, creation_time, attachment_id: null, tags: [], ...origin });

/** A draft in the queue of its bug. */
export const queuedComment = z.extend(commentDraft, {
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
