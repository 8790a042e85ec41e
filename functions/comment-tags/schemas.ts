import * as z from 'zod/mini';
import { optional, text, texts } from '../../lib/http/parameters.ts';

/** functions/README.md 6.2. */
export const tagSearch = z.object({
  limit: optional(text),
});

/** functions/README.md 6.1. */
export const tagUpdate = z.object({
  add: texts,
  remove: texts,
});
