import * as z from 'zod/mini';
import { errors } from '../../lib/errors.ts';
import { answers, type GroupText, parametersOf } from '../../lib/openapi/documentation.ts';
import { named } from '../../lib/openapi/metadata.ts';
import type { group } from './group.ts';
import { tagSearch, tagUpdate } from './schemas.ts';

const tags = named('Tags', 'Tags, in the spelling of their first use.', z.array(z.string()));

const rights = [errors.tagsDisabled(), errors.notAuthorized('taggers', 'work with comment tags')];

/** What the OpenAPI document says of the comment-tag operations. functions/README.md 6.2. */
export const text: GroupText<typeof group.routes> = {
  title: 'Comment tags',
  text: 'Search tags, and change those of a comment. Takes the group of comment taggers.',
  operations: {
    'GET /rest/bug/comment/tags/{query}': {
      summary: 'Search comment tags',
      text: 'Tags that are on at least one comment and contain the text, in any case. The most used first.',
      path: { query: { text: 'What the tags contain.', wants: z.string(), example: 're' } },
      parameters: parametersOf(tagSearch, {
        limit: { text: 'At most so many; 0: all.', wants: z.int().check(z.gte(0)), example: 10 },
      }),
      answer: answers('The tags.', tags, ['regression']),
      errors: [...rights, errors.parameterNotInteger('limit', 'many'), errors.tooManyTags(100_000)],
    },
    'PUT /rest/bug/comment/{comment_id}/tags': {
      summary: 'Change the tags of a comment',
      text: 'First adds, then removes; all, or nothing. There being no such comment is no error: it has no tags.',
      path: { comment_id: { text: 'The id of a comment.', wants: z.int(), example: 2 } },
      parameters: parametersOf(tagUpdate, {
        add: {
          text: 'Each of 3 to 24 letters, digits, `_`, `-` and `.`. What is there in any case stays as it is.',
          example: ['fixed'],
        },
        remove: { text: 'In any case. What is not there is no error.' },
      }),
      answer: answers('All tags of the comment, after the change.', tags, ['fixed']),
      errors: [
        ...rights,
        errors.tagCommentIdInvalid('abc'),
        errors.bugAccessDenied('7'),
        errors.commentIsPrivate(4),
        errors.tagTooShort(3),
        errors.tagTooLong(24),
        errors.tagInvalid('no blanks'),
      ],
    },
  },
};
