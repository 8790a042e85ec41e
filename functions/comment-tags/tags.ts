import { parseParameters, requireInteger } from '../../lib/base/parameters.ts';
import { isAllDigits } from '../../lib/base/text.ts';
import { tagSearch, tagUpdate } from '../../lib/bugs/comment-tags/requests.ts';
import { checkTag } from '../../lib/bugs/comment-tags/validation.ts';
import { requireReadableComments } from '../../lib/bugs/store/comments-with-bugs.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { isInGroup, requireUser } from '../../lib/people/caller.ts';
import type { TagServices } from './services.ts';

/** Returns the tags in use that contain the text of the path, the most used first. */
export const searchTags: Endpoint<TagServices> = async (request, { tags }) => {
  const given = parseParameters(tagSearch, request.parameters).limit ?? '';
  const limit = given === '' ? undefined : requireInteger('limit', given);
  const [names] = await Promise.all([tags.containing(request.pathParameter('query')), request.caller]);
  const found = await tags.byUse(names);
  return ok(found.slice(0, limit));
};

/**
 * Adds tags to the comment of the path, then removes tags, all or none; returns its tags afterwards, for an unknown
 * comment none.
 */
export const updateTags: Endpoint<TagServices> = async (request, { commentsWithBugs, tags, settings }) => {
  const { add, remove } = parseParameters(tagUpdate, request.parameters);
  const given = request.pathParameter('comment_id').trim();
  if (!isAllDigits(given)) throw errors.tagCommentIdInvalid(given);

  const id = Number(given);
  const [caller, found, uses] = await Promise.all([
    request.caller,
    commentsWithBugs([id]),
    tags.usesOf([...add, ...remove]),
  ]);
  const user = requireUser(caller);
  const isInsider = isInGroup(caller, settings.INSIDER_GROUP);
  const [comment] = requireReadableComments([...found.values()], caller, isInsider);
  if (comment === undefined) return ok([]);
  for (const tag of [...add, ...remove]) checkTag(tag);
  return ok(await tags.update(user, comment, add, remove, uses));
};
