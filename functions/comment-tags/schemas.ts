import * as z from 'zod';
import { optional, text, texts } from '../../lib/http/parameters.ts';

/** SPEC.md 4.7. */
export const tagSearch = z.object({
  limit: optional(text).describe('At most this many tags; absent or 0: all.'),
});

/** SPEC.md 4.8. */
export const tagUpdate = z.object({
  add: texts.describe('Tags to attach.'),
  remove: texts.describe('Tags to detach.'),
});
