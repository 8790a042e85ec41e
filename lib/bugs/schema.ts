import * as z from 'zod/mini';

/** A bug: who may see it, and what its comments go on from. */
export const bugItem = z.object({
  id: z.int(),
  aliases: z.array(z.string()),
  product_id: z.int(),
  component_id: z.int(),
  version: z.string(),
  summary: z.string(),
  status: z.string(),
  reporter: z.string(),
  assigned_to: z.string(),
  qa_contact: z.string(),
  cc: z.array(z.string()),
  /** names of the groups that one must be in to see it */
  groups: z.array(z.string()),
  creation_time: z.string(),
  last_change_time: z.string(),
  /** how many comments it has; the next one's count */
  comment_count: z.int(),
  /** of the newest comment; the next one's is not before it */
  last_comment_time: z.string(),
  hours_worked: z.number(),
});
export type BugItem = z.infer<typeof bugItem>;

/** A pointer to a bug, from an alias or from what a catalogue says of it. */
export const bugPointerItem = z.object({ bug_id: z.int() });
