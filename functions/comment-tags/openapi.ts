import * as z from 'zod/mini';
import { tagSearch, tagUpdate } from '../../lib/bugs/comment-tags/requests.ts';
import { MAX_TAG_LENGTH, MIN_TAG_LENGTH } from '../../lib/bugs/comment-tags/validation.ts';
import { errors } from '../../lib/errors.ts';
import {
  type EndpointGroupDescription,
  inPath,
  responds,
  schemaRef,
} from '../../lib/http/openapi/documentation.ts';
import type { endpointGroup } from './endpoints.ts';

const tags = schemaRef('Tags', 'Tags, in the spelling of their first use.', z.array(z.string()));

/** The OpenAPI documentation of the comment-tag operations. functions/README.md 6.2. */
export const description: EndpointGroupDescription<typeof endpointGroup.routes> = {
  title: 'Comment tags',
  text: 'Search tags, and change those of a comment. Requires the group of comment taggers.',
  operations: {
    'GET /rest/bug/comment/tags/{query}': {
      summary: 'Search comment tags',
      text: 'Tags of comments that contain the text, ignoring case, ordered by the number of comments.',
      path: { query: inPath('A part of the tags.', 're') },
      parameters: tagSearch,
      response: responds('The tags.', tags, ['regression']),
      errors: [errors.parameterNotInteger('limit', 'many'), errors.tooManyTags(3_000)],
    },
    'PUT /rest/bug/comment/{comment_id}/tags': {
      summary: 'Change the tags of a comment',
      text: 'Adds tags, then removes tags; the whole change or nothing is applied. A comment that does not exist has no tags; it is not an error.',
      path: { comment_id: inPath('The id of a comment.', 2) },
      parameters: tagUpdate,
      response: responds('All tags of the comment after the change.', tags, ['fixed']),
      errors: [
        errors.tagCommentIdInvalid('abc'),
        errors.bugAccessDenied('7'),
        errors.commentIsPrivate(4),
        errors.tagTooShort(MIN_TAG_LENGTH),
        errors.tagTooLong(MAX_TAG_LENGTH),
        errors.tagInvalid('no blanks'),
      ],
    },
  },
};
