import * as z from 'zod';
import { flag, optional, text, texts } from '../../lib/http/parameters.ts';

/** SPEC.md 4.5. */
export const commentQuery = z.object({
  ids: texts.describe('More bugs, by id or alias.'),
  comment_ids: texts.describe('Single comments, by id.'),
  new_since: text.optional().describe('Only comments of bugs that are newer than this time.'),
});

/** SPEC.md 4.6. */
export const newComment = z.object({
  comment: optional(text).describe('Text to append.'),
  is_private: optional(flag).describe('True makes the comment private. Default: false.'),
  private: optional(flag).describe('Old name of is_private.'),
});

/** Only read for callers in the time-tracking group; for others it may be anything. */
export const workTime = z.object({
  work_time: optional(text).describe("Hours added to the bug's Hours Worked."),
});
