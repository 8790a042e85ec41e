import * as z from 'zod/mini';
import { listPartParameters } from '../../base/list-part.ts';
import { boolean, decimal, optional, param, parameters, text, texts } from '../../base/parameters.ts';
import { MAX_HOURS } from '../../base/time.ts';
import type { CommentContent } from './schema.ts';
import { contentOf, MAX_COMMENT_LENGTH } from './validation.ts';

/** functions/README.md 5.2. */
export const commentQuery = parameters({
  ids: param(texts, 'Ids or aliases of further bugs.', { example: ['2'] }),
  comment_ids: param(texts, 'Ids of further comments.', { type: () => z.array(z.int()), example: [1] }),
  new_since: param(
    z.optional(text),
    'Only comments of bugs that are newer, with a resolution of one second. A time in the spellings that Bugzilla reads (ISO 8601, `11/08/2016`, `Nov 8 2016`); UTC without a zone. Does not apply to `comment_ids`.',
    { example: '2026-03-01' },
  ),
  ...listPartParameters,
  before: param(
    optional(text),
    'The id of a comment of the bug: only earlier ones. With `order=newest` and `limit`, the next part of a long list.',
    { type: () => z.int() },
  ),
});

/** functions/README.md 5.3. */
export const newCommentParameters = parameters({
  comment: param(
    optional(text),
    `The text: at most ${MAX_COMMENT_LENGTH} characters, not only white space.`,
    {
      required: true,
      example: 'Fixed: the lens was dirty.',
    },
  ),
  is_private: param(optional(boolean), 'Whether it is visible to insiders only. Requires the insider group.'),
  private: param(optional(boolean), 'A former name of `is_private`, which takes precedence.'),
});

/** The parameters of a new bug that are its description. */
export const descriptionParameters = {
  description: param(optional(text), `The comment 0, at most ${MAX_COMMENT_LENGTH} characters.`, {
    example: 'Since yesterday.',
  }),
  comment: param(optional(text), 'The same as `description`, before which it is taken.'),
  comment_is_private: param(optional(boolean), 'Whether only insiders see the description; takes being one.'),
};

const descriptionSchema = parameters(descriptionParameters);

/** A comment within an update; clients call its text by either name. */
const commentWithin = z.object({
  body: optional(text),
  comment: optional(text),
  is_private: optional(boolean),
});

/** The parameter of an update that is a comment. */
export const commentParameter = param(
  optional(z.union([commentWithin, text], 'it must be a string, or an object with a body')),
  'A comment to add: the text, as `body` or `comment` of an object or by itself. `is_private`: whether only insiders see it.',
  { example: { body: 'Fixed: the lens was dirty.', is_private: false } },
);

/**
 * The description that a request gives for a new bug, and its other parameters. Of both names `comment` wins where it has a text;
 * in Bugzilla it is either.
 */
export function takeDescription<T extends z.output<typeof descriptionSchema>>({
  comment,
  description,
  comment_is_private: is_private,
  ...others
}: T) {
  const given = (comment ?? '').trim() === '' ? description : comment;
  return { content: contentOf(given ?? '', { is_private }), others };
}

/** The comment within an update: one without a text is not private. */
export function readCommentWithin(given: z.output<typeof commentWithin> | string = ''): CommentContent {
  if (typeof given === 'string') return contentOf(given);
  const { body, comment = '', ...options } = given;
  const text = body ?? comment;
  return contentOf(text, text.trim() === '' ? {} : options);
}

/** Only read for callers in the time-tracking group; for others it may be anything. */
export const workTime = parameters({
  work_time: param(
    optional(decimal),
    `Hours to add to the hours worked on the bug, from ${-MAX_HOURS} to ${MAX_HOURS}. Ignored unless the caller is in the timetracking group.`,
    { type: () => z.number() },
  ),
});
