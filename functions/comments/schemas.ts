import * as z from 'zod/mini';
import { decimal, flag, optional, text, texts } from '../../lib/http/parameters.ts';

/** functions/README.md 5.2. */
export const commentQuery = z.object({
  ids: texts,
  comment_ids: texts,
  new_since: z.optional(text),
});

/** functions/README.md 5.3. */
export const newComment = z.object({
  comment: optional(text),
  is_private: optional(flag),
  private: optional(flag),
});

/** Only read for callers in the time-tracking group; for others it may be anything. */
export const workTime = z.object({
  work_time: optional(decimal),
});
