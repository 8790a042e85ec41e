import * as z from 'zod/mini';
import { errors } from '../../lib/errors.ts';
import { answers, creates, type GroupText, parametersOf } from '../../lib/openapi/documentation.ts';
import { describe, named } from '../../lib/openapi/metadata.ts';
import { time } from '../../lib/openapi/time.ts';
import type { group } from './group.ts';
import { commentQuery, newComment, workTime } from './schemas.ts';

/** functions/README.md 5. */
const comment = named(
  'Comment',
  'A comment of a bug. `include_fields` leaves out what it does not name.',
  z.partial(
    z.object({
      id: describe('Unique in the installation.', z.int()),
      bug_id: z.int(),
      attachment_id: describe('The attachment that it was made on; else null.', z.nullable(z.int())),
      count: describe('Its number in the bug: the description is 0.', z.int()),
      text: z.string(),
      creator: describe('The login of its author.', z.string()),
      time: time('The same as `creation_time`.'),
      creation_time: time('When it was added.'),
      is_private: describe('Whether only insiders see it.', z.boolean()),
      tags: describe('In alphabetical order; left out where tags are switched off.', z.array(z.string())),
    }),
  ),
);

const numeric = (what: string) => describe(`The id of a ${what}.`, z.string().check(z.regex(/^\d+$/)));

const found = named(
  'Comments',
  'Comments of bugs, by the id of the bug, and comments that were asked for by their own id.',
  z.object({
    bugs: z.record(numeric('bug'), z.object({ comments: describe('The oldest first.', z.array(comment)) })),
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

const query = parametersOf(commentQuery, {
  ids: { text: 'Ids or aliases of further bugs.', example: ['2'] },
  comment_ids: { text: 'Ids of further comments.', wants: z.array(z.int()), example: [1] },
  new_since: {
    text: "Only comments of bugs that are newer, to the second. ISO 8601, `YYYY/MM/DD` or a date of RFC 2822; without a zone, UTC. Comments that are asked for by id don't care.",
    example: '2026-03-01',
  },
});

const readErrors = [
  errors.parameterNotInteger('comment_ids', 'abc'),
  errors.timeNotRecognized('new_since', '2026-02-30'),
  errors.bugAliasUnknown('no-such-alias'),
  errors.bugUnknown('9999'),
  errors.bugAccessDenied('7'),
  errors.commentUnknown('9999'),
  errors.commentIsPrivate(4),
];

/** What the OpenAPI document says of the comment operations. functions/README.md 5.2. */
export const text: GroupText<typeof group.routes> = {
  title: 'Comments',
  text: 'Read comments of bugs, and add them. Private ones are for insiders.',
  operations: {
    'GET /rest/bug/{id_or_alias}/comment': {
      summary: 'Get the comments of a bug',
      text: 'Comments of the bug, and of what else the query names. Whatever is not there, or not for the caller, fails the whole request; private comments of a bug are left out.',
      path: {
        id_or_alias: {
          text: 'The id of a bug, or else one of its aliases.',
          wants: z.string(),
          example: 'blurry-moon',
        },
      },
      parameters: query,
      selectsFields: true,
      answer: answers('The comments.', found, { bugs: { 1: { comments: [example] } }, comments: {} }),
      errors: readErrors,
    },
    'GET /rest/bug/comment/{comment_id}': {
      summary: 'Get a comment',
      text: 'The comment, and what else the query names.',
      path: { comment_id: { text: 'The id of a comment.', wants: z.int(), example: 2 } },
      parameters: query,
      selectsFields: true,
      answer: answers('The comment.', found, { bugs: {}, comments: { 2: example } }),
      errors: readErrors,
    },
    'POST /rest/bug/{id_or_alias}/comment': {
      summary: 'Add a comment',
      text: 'Adds a comment to the bug. A comment that is sent twice is there twice.',
      path: {
        id_or_alias: {
          text: 'The id of a bug, or else one of its aliases.',
          wants: z.string(),
          example: 'blurry-moon',
        },
      },
      parameters: [
        ...parametersOf(newComment, {
          comment: {
            text: 'The text, at most 65,535 characters, and more than white space.',
            required: true,
            example: 'Fixed: the lens was dirty.',
          },
          is_private: { text: 'Whether only insiders see it; takes being one.' },
          private: { text: 'An old name of `is_private`, which wins.' },
        }),
        ...parametersOf(workTime, {
          work_time: {
            text: 'Hours to add to those worked on the bug, from -99999.99 to 99999.99. Without effect for those who do not track time.',
            wants: z.number(),
          },
        }),
      ],
      answer: creates(
        'The comment is there.',
        named(
          'CreatedComment',
          'What was created.',
          z.object({ id: describe('The id of the new comment.', z.int()) }),
        ),
        { id: 11 },
      ),
      errors: [
        errors.commentMissing(),
        errors.bugAliasUnknown('no-such-alias'),
        errors.bugUnknown('9999'),
        errors.bugAccessDenied('7'),
        errors.productNotEditable('Handbook'),
        errors.commentTooLong(65_535),
        errors.privateNotAllowed(),
        errors.workTimeNotNumber('two'),
        errors.workTimeTooLarge(),
        errors.workTimeTooSmall(),
      ],
    },
  },
};
