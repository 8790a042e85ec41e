import * as z from 'zod/mini';

export const commentItem = z.object({
  id: z.int(),
  bug_id: z.int(),
  count: z.int(),
  text: z.string(),
  creator: z.string(),
  /** `YYYY-MM-DDThh:mm:ssZ` */
  creation_time: z.string(),
  is_private: z.boolean(),
  attachment_id: z.nullable(z.int()),
  /** hours */
  work_time: z.number(),
  /** as first spelled on this comment, in no order */
  tags: z.array(z.string()),
});
export type CommentItem = z.infer<typeof commentItem>;

/** Where the comment with an id stands. */
export const commentPointerItem = z.object({
  bug_id: z.int(),
  creation_time: z.string(),
  count: z.int(),
});
export type CommentPlace = z.infer<typeof commentPointerItem>;

/** A comment without its place in the bug: it waits to be written together with others. */
export const queuedComment = z.object({
  id: z.int(),
  bug_id: z.int(),
  text: z.string(),
  creator: z.string(),
  is_private: z.boolean(),
  work_time: z.number(),
  /** seconds since 1970: after that nobody waits for it any more */
  expires_at: z.int(),
});
export type QueuedComment = z.infer<typeof queuedComment>;
export type CommentDraft = Omit<QueuedComment, 'expires_at'>;
