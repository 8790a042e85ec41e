import * as z from 'zod/mini';
import { CREDENTIAL_PARAMETERS } from '../../lib/http/credentials.ts';
import { flag, optional, text, texts } from '../../lib/http/parameters.ts';

/** Which bugs to answer: ids also as a comma list, as Bugzilla takes them. */
export const bugQuery = z.object({
  id: texts,
  ids: texts,
  alias: texts,
  limit: optional(text),
});

/** What is required is checked with errors of its own. */
export const newBug = z.object({
  product: optional(text),
  component: optional(text),
  summary: optional(text),
  version: optional(text),
  description: optional(text),
  comment_is_private: optional(flag),
  alias: texts,
  assigned_to: optional(text),
  qa_contact: optional(text),
  cc: texts,
});

/** A comment within an update; clients call its text by either name. */
const commentWithin = z.object({
  body: optional(text),
  comment: optional(text),
  is_private: optional(flag),
});

export const bugUpdate = z.object({
  ids: texts,
  comment: optional(z.union([commentWithin, text], 'a text is wanted, or an object with it as body')),
});

/** What may come with an update: other changes must not pass silently. */
export const UPDATE_PARAMETERS: ReadonlySet<string> = new Set([
  ...Object.keys(bugUpdate.shape),
  'work_time',
  'minor_update',
  'include_fields',
  'exclude_fields',
  ...CREDENTIAL_PARAMETERS,
]);
