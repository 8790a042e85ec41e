import { requireVisible } from '../../lib/bugs/permissions.ts';
import { checkLength, normalizeText, parseWorkTime } from '../../lib/comments/validation.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseParameters } from '../../lib/http/parameters.ts';
import { mayEditBugs } from '../../lib/products/permissions.ts';
import type { CommentServices } from '../../lib/services.ts';
import { isInGroup } from '../../lib/users/caller.ts';
import { requireUser } from '../../lib/users/permissions.ts';
import { newComment, workTime } from './schemas.ts';

/**
 * Adds a comment to the bug of the path and responds with its id. The order of the checks is Bugzilla's.
 *
 * @throws errors of 50 without text, 100 to 102 for the bug, 109 for its product, 114 for a text that is too long,
 * 113 for a private comment, 52, 54 and 55 for the work time
 */
export const createComment: Endpoint<CommentServices> = async (request, services) => {
  const { bugs, comments, products, settings, idempotent } = services;
  const given = parseParameters(newComment, request.parameters);
  const text = normalizeText(given.comment ?? '');
  if (text === '') throw errors.commentMissing();

  const bugName = request.pathParameter('id_or_alias');
  const bugId = await bugs.idOf(bugName);
  const [caller, found] = await Promise.all([
    request.caller,
    bugId === undefined ? undefined : bugs.byId(bugId),
  ]);
  const user = requireUser(caller);
  const bug = requireVisible(bugName, bugId, found, caller);
  const [[product], id] = await Promise.all([products.indexEntries([bug.product_id]), comments.allocateId()]);
  if (product === undefined || !mayEditBugs(product, caller)) {
    throw errors.productNotEditable(product?.name ?? String(bug.product_id));
  }

  checkLength(text);
  const isPrivate = given.is_private ?? given.private ?? false;
  if (isPrivate && !isInGroup(caller, settings.INSIDER_GROUP)) throw errors.privateNotAllowed();
  const hours = isInGroup(caller, settings.TIMETRACKING_GROUP)
    ? parseWorkTime(parseParameters(workTime, request.parameters).work_time ?? '')
    : 0;

  return idempotent(request, user, async (recordFor) => {
    await bugs.addComment(user, bug, { id, text, isPrivate, workTime: hours }, recordFor);
    return id;
  });
};
