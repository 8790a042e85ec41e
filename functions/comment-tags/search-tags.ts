import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler.ts';
import { parseParameters } from '../../lib/http/parameters.ts';
import { ok } from '../../lib/http/response/json-response.ts';
import { isAllDigits } from '../../lib/ids.ts';
import type { TagServices } from '../../lib/services.ts';
import { tagSearch } from './schemas.ts';
import { requireTagger } from './tagger.ts';

/**
 * Answers the tags in use that contain the text of the path, the most used first. SPEC.md 4.7, REFERENCE.md 6.
 *
 * @throws errors of 125 and 304 without the right, 52 for the limit, tooManyTags
 */
export const searchTags: Endpoint<TagServices> = async (request, { tags, settings }) => {
  requireTagger(await request.caller, settings);
  const limit = parseParameters(tagSearch, request.parameters).limit ?? '';
  if (limit !== '' && !isAllDigits(limit)) throw errors.parameterNotInteger('limit', limit);
  const found = await tags.search(request.pathParameter('query'));
  return ok(Number(limit) > 0 ? found.slice(0, Number(limit)) : found);
};
