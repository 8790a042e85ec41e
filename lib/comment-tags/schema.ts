import * as z from 'zod/mini';

/** A tag that is on at least one comment. */
export const tagItem = z.object({
  /** as first spelled anywhere */
  tag: z.string(),
  /** on how many comments it is */
  uses: z.int(),
});
export type TagItem = z.infer<typeof tagItem>;

/** What one comment's change means for one tag: one use more, or one less. */
const tagChange = z.object({ tag: z.string(), by: z.union([z.literal(1), z.literal(-1)]) });
export type TagChange = z.infer<typeof tagChange>;

/**
 * A comment's change of tags that was too large to be counted in the same transaction: it has happened, and
 * whoever needs the counts finishes it first.
 */
export const tagChangeItem = z.object({ comment_id: z.int(), changes: z.array(tagChange) });
export type TagChangeItem = z.infer<typeof tagChangeItem>;
