import * as z from 'zod';

export const commentItem = z.object({
  id: z.int(),
  bug_id: z.int(),
  count: z.int(),
  text: z.string(),
  creator: z.string(),
  /** `YYYY-MM-DDThh:mm:ssZ` */
  creation_time: z.string(),
  is_private: z.boolean(),
  attachment_id: z.int().nullable(),
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
