import { isVisible } from '../../lib/bugs/permissions.ts';
import { checkTag } from '../../lib/comment-tags/validation.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler.ts';
import { parseParameters } from '../../lib/http/parameters.ts';
import { ok } from '../../lib/http/response/json-response.ts';
import { isAllDigits } from '../../lib/ids.ts';
import type { TagServices } from '../../lib/services.ts';
import { isInGroup } from '../../lib/users/caller.ts';
import { tagUpdate } from './schemas.ts';
import { requireTagger } from './tagger.ts';

/**
 * Adds tags to the comment of the path, then removes tags, all or none; answers its tags afterwards. For a
 * comment that does not exist there are none. SPEC.md 4.8, REFERENCE.md 6.
 *
 * @throws errors of 125 and 304 without the right, 57 for the id, 102 for the bug, 110 for a private comment,
 * 126 to 128 for tags
 */
export const updateTags: Endpoint<TagServices> = async (request, { bugs, comments, tags, settings }) => {
  const inPath = request.pathParameter('comment_id').trim();
  const id = isAllDigits(inPath) ? Number(inPath) : undefined;
  const [caller, places] = await Promise.all([
    request.caller,
    id === undefined ? [] : comments.placesOf([id]),
  ]);
  requireTagger(caller, settings);
  const { add, remove } = parseParameters(tagUpdate, request.parameters);
  if (id === undefined) throw errors.tagCommentIdInvalid(inPath);

  const given = [...add, ...remove];
  const [found, theirBugs, uses] = await Promise.all([
    comments.at(places),
    bugs.byIds(places.map(({ bug_id }) => bug_id)),
    tags.usesOf(given),
  ]);
  const comment = found.get(id);
  const bug = comment === undefined ? undefined : theirBugs.get(comment.bug_id);
  if (comment === undefined || bug === undefined) return ok([]);
  if (!isVisible(bug, caller)) throw errors.bugAccessDenied(String(bug.id));
  if (comment.is_private && !isInGroup(caller, settings.INSIDER_GROUP)) throw errors.commentIsPrivate(id);

  for (const tag of given) checkTag(tag);
  return ok(await tags.update(comment, add, remove, uses));
};
