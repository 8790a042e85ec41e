import * as z from 'zod/mini';
import { CREDENTIAL_PARAMETERS } from '../../lib/http/credentials.ts';
import { flag, nullAsBlank, optional, RepeatedValue, text, texts } from '../../lib/http/parameters.ts';

/** Bugs that are read by ids and aliases, beside that of the path. */
export const bugsById = z.object({
  ids: texts,
  permissive: optional(flag),
});

export const historyQuery = z.object({
  ids: texts,
  new_since: optional(text),
});

export const fieldQuery = z.object({
  names: texts,
  ids: texts,
});

/** A list that may come as one text, separated by commas. */
const namesOrText = z.pipe(
  texts,
  z.transform((given) =>
    given
      .flatMap((one) => one.split(','))
      .map((one) => one.trim())
      .filter(Boolean),
  ),
);

/** Aliases of a text are separated by white space, too. */
const aliasesOrText = z.pipe(
  texts,
  z.transform((given) => (given.length === 1 ? (given[0] ?? '').split(/[\s,]+/) : given).filter(Boolean)),
);

/** A text where null is blank, and not the default: Bugzilla requires it. */
const required = nullAsBlank(text);

/** What a bug is created from. What is required is checked with errors of its own. */
export const newBug = z.object({
  product: required,
  component: required,
  summary: required,
  version: required,
  default_version: optional(text),
  op_sys: required,
  platform: required,
  severity: optional(text),
  priority: optional(text),
  target_milestone: optional(text),
  status: optional(text),
  resolution: optional(text),
  dupe_of: optional(text),
  description: optional(text),
  comment: optional(text),
  comment_is_private: optional(flag),
  alias: aliasesOrText,
  assigned_to: optional(text),
  qa_contact: optional(text),
  cc: namesOrText,
  groups: optional(namesOrText),
  keywords: namesOrText,
  whiteboard: optional(text),
  url: optional(text),
  see_also: texts,
  blocks: namesOrText,
  depends_on: namesOrText,
  deadline: optional(text),
  estimated_time: optional(text),
  is_creator_accessible: optional(flag),
  is_cc_accessible: optional(flag),
  flags: z.optional(z.unknown()),
});

/** What may come with a new bug, but is not taken: it follows from other things. */
export const IGNORED_OF_NEW_BUG = [
  'id',
  'creator',
  'creation_time',
  'classification',
  'is_confirmed',
  'remaining_time',
  'actual_time',
  'include_fields',
  'exclude_fields',
  ...CREDENTIAL_PARAMETERS,
];

/** Elements to add and to remove; other keys are ignored. */
const listChange = z.object({ add: texts, remove: texts });
/** The same, or all elements there are to be. */
const listUpdate = z.object({ add: texts, remove: texts, set: z.optional(texts) });

const isListChange = (given: unknown): boolean =>
  typeof given === 'object' && given !== null && !Array.isArray(given) && !(given instanceof RepeatedValue);

/** An alias may come as a text or list: then it stands for all of them. */
const aliasUpdate = z.pipe(
  z.transform((given: unknown): unknown => (isListChange(given) ? given : { set: given })),
  listUpdate,
);

/** A comment within an update; clients call its text by either name. */
const commentWithin = z.object({
  body: optional(text),
  comment: optional(text),
  is_private: optional(flag),
});

/** What an update changes; null is blank for what can be so. */
export const bugUpdate = z.object({
  ids: texts,
  alias: optional(aliasUpdate),
  assigned_to: nullAsBlank(text),
  blocks: optional(listUpdate),
  cc: optional(listChange),
  comment: optional(z.union([commentWithin, text], 'it must be a string, or an object with a body')),
  comment_is_private: optional(z.record(z.string(), flag)),
  comment_tags: texts,
  component: nullAsBlank(text),
  deadline: nullAsBlank(text),
  depends_on: optional(listUpdate),
  dupe_of: optional(text),
  estimated_time: nullAsBlank(text),
  flags: z.optional(z.unknown()),
  groups: optional(listChange),
  is_cc_accessible: nullAsBlank(flag),
  is_creator_accessible: nullAsBlank(flag),
  keywords: optional(listUpdate),
  op_sys: nullAsBlank(text),
  platform: nullAsBlank(text),
  priority: nullAsBlank(text),
  product: nullAsBlank(text),
  qa_contact: nullAsBlank(text),
  remaining_time: nullAsBlank(text),
  reset_assigned_to: optional(flag),
  reset_qa_contact: optional(flag),
  resolution: nullAsBlank(text),
  see_also: optional(listChange),
  severity: nullAsBlank(text),
  status: nullAsBlank(text),
  summary: nullAsBlank(text),
  target_milestone: nullAsBlank(text),
  url: nullAsBlank(text),
  version: nullAsBlank(text),
  whiteboard: nullAsBlank(text),
  work_time: nullAsBlank(text),
});
