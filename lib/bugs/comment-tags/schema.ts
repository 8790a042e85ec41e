import * as z from 'zod/mini';

/** A tag that is registered for the search. */
export const tagItem = z.object({
  /** as first spelled anywhere */
  tag: z.string(),
  /** number of comments that have it; with 0 the search ignores it */
  uses: z.int(),
});
/** A change of the use count of one tag. */
export interface TagChange {
  tag: string;
  by: 1 | -1;
}
