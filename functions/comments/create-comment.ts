import { requireVisible } from '../../lib/bugs/store.ts';
import { checkLength, normalizeText, parseWorkTime } from '../../lib/comments/rules.ts';
import type { CommentServices } from '../../lib/composition.ts';
import { errors } from '../../lib/errors.ts';
import { created } from '../../lib/http/answer.ts';
import type { Endpoint } from '../../lib/http/chain.ts';
import { parseParameters } from '../../lib/http/parameters.ts';
import { mayEditBugs } from '../../lib/products/access.ts';
import { isInGroup, requireUser } from '../../lib/users/caller.ts';
import { newComment, workTime } from './schemas.ts';

/**
 * Adds a comment to the bug of the path. The order of the checks is Bugzilla's. SPEC.md 4.6, REFERENCE.md 5.
 *
 * @throws errors of 50 without text, 100 to 102 for the bug, 109 for its product, 114 for too long a text, 113
 * for a private one, 52, 54 and 55 for the work time
 */
export const createComment: Endpoint<CommentServices> = async (request, services) => {
  const { bugs, comments, products, settings } = services;
  const inPath = request.pathParameter('id_or_alias');
  const bugId = await bugs.idOf(inPath);
  const [caller, found] = await Promise.all([
    request.caller,
    bugId === undefined ? undefined : bugs.byId(bugId),
  ]);
  const user = requireUser(caller);
  const given = parseParameters(newComment, request.parameters);
  const text = normalizeText(given.comment ?? '');
  if (text === '') throw errors.commentMissing();

  const bug = requireVisible(inPath, bugId, found, caller);
  const [product] = await products.products([bug.product_id]);
  if (product === undefined || !mayEditBugs(product, caller)) {
    throw errors.productNotEditable(product?.name ?? String(bug.product_id));
  }
  checkLength(text);
  const isPrivate = given.is_private ?? given.private ?? false;
  if (isPrivate && !isInGroup(caller, settings.INSIDER_GROUP)) throw errors.privateNotAllowed();
  const hours = isInGroup(caller, settings.TIMETRACKING_GROUP)
    ? parseWorkTime(parseParameters(workTime, request.parameters).work_time ?? '')
    : 0;

  const id = await comments.add(bug, { text, creator: user.login, isPrivate, workTime: hours });
  return created(id);
};
