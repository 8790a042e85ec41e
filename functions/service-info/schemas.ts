import * as z from 'zod/mini';
import { flag, optional, text, texts } from '../../lib/http/parameters.ts';

export const validLoginQuery = z.object({
  login: optional(text),
});

export const userQuery = z.object({
  ids: texts,
  names: texts,
  match: z.optional(texts),
  limit: optional(text),
  include_disabled: optional(flag),
  groups: texts,
  group_ids: texts,
});
