import { parseParameters, requireInteger } from '../../lib/base/parameters.ts';
import { tagSearch } from '../../lib/bugs/comment-tags/requests.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { ok } from '../../lib/http/response/json.ts';
import type { TagServices } from './services.ts';

/** Returns the tags in use that contain the text of the path, the most used first. */
export const searchTags: Endpoint<TagServices> = async (request, { tags }) => {
  const given = parseParameters(tagSearch, request.parameters).limit ?? '';
  const limit = given === '' ? undefined : requireInteger('limit', given);
  const [names] = await Promise.all([tags.containing(request.pathParameter('query')), request.caller]);
  const found = await tags.byUse(names);
  return ok(found.slice(0, limit));
};
