import * as z from 'zod/mini';
import { optional, text, texts } from '../../lib/http/parameters.ts';

/** SPEC.md 4.7. */
export const tagSearch = z.object({
  limit: optional(text),
});

/** SPEC.md 4.8. */
export const tagUpdate = z.object({
  add: texts,
  remove: texts,
});
