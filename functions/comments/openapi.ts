import * as z from 'zod/mini';
import { MAX_PART } from '../../lib/base/list-part.ts';
import { MAX_HOURS } from '../../lib/base/time.ts';
import { commentQuery, newCommentParameters, workTime } from '../../lib/bugs/comments/requests.ts';
import { MAX_COMMENT_LENGTH } from '../../lib/bugs/comments/validation.ts';
import { errors } from '../../lib/errors.ts';
import {
  createsOne,
  describe,
  type EndpointGroupDescription,
  inPath,
  responds,
  schemaRef,
  time,
} from '../../lib/http/openapi/documentation.ts';
import { bugErrors, bugPath } from '../bugs/openapi-parameters.ts';
import type { endpointGroup } from './endpoints.ts';

/** functions/README.md 5. */
const comment = schemaRef(
  'Comment',
  'A comment of a bug. With `include_fields` only the selected fields are present.',
  z.partial(
    z.object({
      id: describe('Unique in the installation.', z.int()),
      bug_id: z.int(),
      attachment_id: describe('The attachment that it belongs to, or null.', z.nullable(z.int())),
      count: describe('The number within the bug; the description is 0.', z.int()),
      text: z.string(),
      creator: describe('The login of the author.', z.string()),
      time: time('The same as `creation_time`.'),
      creation_time: time('The time of creation.'),
      is_private: describe('Whether it is visible to insiders only.', z.boolean()),
      tags: describe('In alphabetical order; absent when tags are disabled.', z.array(z.string())),
    }),
  ),
);

const numeric = (what: string) => describe(`The id of a ${what}.`, z.string().check(z.regex(/^\d+$/)));

const found = schemaRef(
  'Comments',
  'Comments of bugs by bug id, and comments requested by their own id.',
  z.object({
    bugs: z.record(
      numeric('bug'),
      z.object({
        comments: describe(
          'Ordered by time, the oldest first unless `order` says otherwise.',
          z.array(comment),
        ),
      }),
    ),
    comments: z.record(numeric('comment'), comment),
  }),
);

const example: z.output<typeof comment> = {
  id: 2,
  bug_id: 1,
  attachment_id: null,
  count: 1,
  text: 'I can see it too, on 2.0rc1 and 2.0, not on 1.0.',
  creator: 'dev@bugless.example',
  time: '2026-03-02T10:02:11Z',
  creation_time: '2026-03-02T10:02:11Z',
  is_private: false,
  tags: ['confirmed', 'regression'],
};

const reading = {
  parameters: commentQuery,
  selectsFields: true as const,
  errors: [
    errors.parameterNotInteger('comment_ids', 'abc'),
    errors.timeNotRecognized('new_since', '2026-02-30'),
    errors.parameterInvalid('limit', `it must be a number from 1 to ${MAX_PART}`),
    ...bugErrors,
    errors.commentUnknown('9999'),
    errors.commentIsPrivate(4),
    errors.requestTooLarge('at most 500 bugs'),
  ],
};

/** The OpenAPI documentation of the comment operations. functions/README.md 5.2. */
export const description: EndpointGroupDescription<typeof endpointGroup.routes> = {
  title: 'Comments',
  text: 'Read and add comments of bugs. Private comments are visible to insiders only.',
  operations: {
    'GET /rest/bug/{id_or_alias}/comment': {
      summary: 'Get the comments of a bug',
      text: 'The comments of the bug, and others that the query selects. The request fails if one of the bugs or requested comments does not exist or is not visible to the caller. Private comments of bugs are omitted.',
      path: bugPath,
      ...reading,
      response: responds('The comments.', found, { bugs: { 1: { comments: [example] } }, comments: {} }),
    },
    'GET /rest/bug/comment/{comment_id}': {
      summary: 'Get a comment',
      text: 'The comment, and others that the query selects.',
      path: { comment_id: inPath('The id of a comment.', 2) },
      ...reading,
      response: responds('The comment.', found, { bugs: {}, comments: { 2: example } }),
    },
    'POST /rest/bug/{id_or_alias}/comment': {
      summary: 'Add a comment',
      text: 'Adds a comment to the bug. A repeated request adds a second comment, unless it has an `Idempotency-Key`.',
      path: bugPath,
      parameters: [newCommentParameters, workTime],
      response: createsOne('comment', 11),
      errors: [
        errors.commentMissing(),
        ...bugErrors,
        errors.productNotEditable('Handbook'),
        errors.commentTooLong(MAX_COMMENT_LENGTH),
        errors.requestTooLarge('4000 words that are new to the bugs, together'),
        errors.privateNotAllowed(),
        errors.hoursInvalid('work_time', 'two'),
        errors.hoursTooLarge('work_time', MAX_HOURS),
        errors.hoursTooSmall('work_time', -MAX_HOURS),
      ],
    },
  },
};
