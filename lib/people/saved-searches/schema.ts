import * as z from 'zod/mini';
import { extensibleObject } from '../../table/extensible-object.ts';

const savedSearch = extensibleObject({
  /** among the searches of the user; never given twice */
  id: z.int(),
  name: z.string(),
  /** of the address of a list: `product=Alpha&bug_status=NEW` */
  query: z.string(),
  /** of the group that sees the search; absent: its owner alone */
  group_id: z.optional(z.int()),
});
export type SavedSearch = z.infer<typeof savedSearch>;

/** The saved searches of a user. */
export const savedSearchesItem = z.object({
  user_id: z.int(),
  searches: z.array(savedSearch),
  /** the last id that was given */
  last_id: z.int(),
  /** number of writes: for optimistic locking */
  revision: z.int(),
});
export type SavedSearchesItem = z.infer<typeof savedSearchesItem>;

/** Who shares searches with a group. */
export const sharersItem = z.object({
  group_id: z.int(),
  user_ids: z.array(z.int()),
  /** number of writes: for optimistic locking */
  revision: z.int(),
});
export type SharersItem = z.infer<typeof sharersItem>;
