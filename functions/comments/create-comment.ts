import { requireVisible } from '../../lib/bugs/store.ts';
import { checkLength, normalizeText, parseWorkTime } from '../../lib/comments/rules.ts';
import type { NewComment } from '../../lib/comments/store.ts';
import type { CommentServices } from '../../lib/composition.ts';
import { BugzillaError, errors } from '../../lib/errors.ts';
import { created } from '../../lib/http/answer.ts';
import type { Endpoint } from '../../lib/http/chain.ts';
import { type Parameters, parseParameters } from '../../lib/http/parameters.ts';
import { mayEditBugs } from '../../lib/products/access.ts';
import type { Settings } from '../../lib/settings.ts';
import { type Caller, isInGroup, requireUser } from '../../lib/users/caller.ts';
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
  const { login } = requireUser(caller);
  const text = textOf(request.parameters);
  const bug = requireVisible(inPath, bugId, found, caller);

  // What is wrong with the comment itself is said after what the product forbids; but known before, so that
  // the id can be taken while the product is read.
  const details = detailsOf(text, request.parameters, caller, settings);
  const [[product], id] = await Promise.all([
    products.products([bug.product_id]),
    details instanceof BugzillaError ? 0 : comments.takeId(),
  ]);
  if (product === undefined || !mayEditBugs(product, caller)) {
    throw errors.productNotEditable(product?.name ?? String(bug.product_id));
  }
  if (details instanceof BugzillaError) throw details;
  await comments.add(bug, { id, creator: login, text, ...details });
  return created(id);
};

function textOf(parameters: Parameters): string {
  const text = normalizeText(parseParameters(newComment, parameters).comment ?? '');
  if (text === '') throw errors.commentMissing();
  return text;
}

type Details = Pick<NewComment, 'isPrivate' | 'workTime'>;

/** @returns the first error that there is, or else what the comment carries beside its text */
function detailsOf(
  text: string,
  parameters: Parameters,
  caller: Caller,
  settings: Settings,
): Details | BugzillaError {
  try {
    checkLength(text);
    const given = parseParameters(newComment, parameters);
    const isPrivate = given.is_private ?? given.private ?? false;
    if (isPrivate && !isInGroup(caller, settings.INSIDER_GROUP)) throw errors.privateNotAllowed();
    const isTracked = isInGroup(caller, settings.TIMETRACKING_GROUP);
    const hours = isTracked ? parseParameters(workTime, parameters).work_time : undefined;
    return { isPrivate, workTime: parseWorkTime(hours ?? '') };
  } catch (error) {
    if (error instanceof BugzillaError) return error;
    throw error;
  }
}
