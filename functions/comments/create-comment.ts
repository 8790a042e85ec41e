import { findBugs } from '../../lib/bugs/find-bugs.ts';
import { requireVisible } from '../../lib/bugs/permissions.ts';
import type { BugItem } from '../../lib/bugs/schema.ts';
import { checkLength, normalizeText, parseWorkTime } from '../../lib/comments/validation.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseParameters } from '../../lib/http/parameters.ts';
import { mayEditBugs } from '../../lib/products/permissions.ts';
import { type Caller, isInGroup } from '../../lib/users/caller.ts';
import { requireUser } from '../../lib/users/permissions.ts';
import { newComment, workTime } from './schemas.ts';
import type { CommentServices } from './services.ts';

/**
 * Adds a comment to the bug of the path and responds with its id. The order of the checks is Bugzilla's.
 *
 * @throws errors of 50 without text, 100 to 102 for the bug, 109 for its product, 114 for a text that is too long,
 * 113 for a private comment, 52, 54 and 55 for the work time
 */
export const createComment: Endpoint<CommentServices> = async (request, services) => {
  const bugName = request.pathParameter('id_or_alias');
  const [caller, [found]] = await Promise.all([request.caller, findBugs([bugName], services.bugs)]);
  const user = requireUser(caller);
  return services.idempotent(request, user, async (recordFor) => {
    const given = parseParameters(newComment, request.parameters);
    const text = normalizeText(given.comment ?? '');
    if (text === '') throw errors.commentMissing();

    const visible = requireVisible(bugName, found?.id, found?.bug, caller);
    const id = await requireEditable(visible, caller, services);

    checkLength(text);
    const isPrivate = given.is_private ?? given.private ?? false;
    if (isPrivate && !isInGroup(caller, services.settings.INSIDER_GROUP)) throw errors.privateNotAllowed();
    const hours = isInGroup(caller, services.settings.TIMETRACKING_GROUP)
      ? parseWorkTime(parseParameters(workTime, request.parameters).work_time ?? '')
      : 0;

    await services.bugs.addComment(user, visible, { id, text, isPrivate, workTime: hours }, recordFor);
    return id;
  });
};

/**
 * Checks that the caller may change bugs of the product, and allocates the id of the comment meanwhile.
 *
 * @throws errors.productNotEditable (401, 109)
 */
async function requireEditable(
  { product_id }: BugItem,
  caller: Caller,
  { products, comments }: CommentServices,
): Promise<number> {
  const [[product], id] = await Promise.all([products.indexEntries([product_id]), comments.allocateId()]);
  if (product === undefined || !mayEditBugs(product, caller)) {
    throw errors.productNotEditable(product?.name ?? String(product_id));
  }
  return id;
}
