import * as z from 'zod/mini';
import { optional, param, parameters, text, texts } from '../../base/parameters.ts';
import { MAX_TAG_LENGTH, MIN_TAG_LENGTH } from './validation.ts';

/** functions/README.md 6.2. */
export const tagSearch = parameters({
  limit: param(optional(text), 'The maximum number of tags; with 0 there are none.', {
    type: () => z.int().check(z.gte(0)),
    example: 10,
  }),
});

/** functions/README.md 6.1. */
export const tagUpdate = parameters({
  add: param(
    texts,
    `Tags of ${MIN_TAG_LENGTH} to ${MAX_TAG_LENGTH} letters, digits, \`_\`, \`-\` and \`.\`. An existing tag that differs in case only is kept.`,
    { example: ['fixed'] },
  ),
  remove: param(texts, 'Tags, ignoring case. Missing ones are ignored.'),
});
