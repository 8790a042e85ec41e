import * as z from 'zod/mini';

/**
 * What a change did, so that those who follow the bug can be told (functions/events/README.md 1): which items of the bug it wrote.
 */
export const loggedChange = z.object({
  /** `commented`: nothing but comments, and hours that came with them */
  kind: z.enum(['created', 'changed', 'commented']),
  /** `YYYY-MM-DDThh:mm:ssZ` */
  time: z.string(),
  /** of the bug, afterwards */
  revision: z.int(),
  /** the count of the first comment, and how many there are */
  comments: z.optional(z.tuple([z.int(), z.int()])),
  /** id of the request that wrote it; absent: not a request, or the entry has no room */
  request: z.optional(z.string()),
});
export type LoggedChange = z.infer<typeof loggedChange>;

/** The same as the change log carries it, as JSON, where the table has a stream: without a time that is that of the log entry. */
export const loggedEvents = z.extend(loggedChange, { time: z.optional(z.string()) });
