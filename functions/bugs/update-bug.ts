import { requireVisible } from '../../lib/bugs/permissions.ts';
import type { NewComment } from '../../lib/bugs/repository.ts';
import type { BugItem } from '../../lib/bugs/schema.ts';
import { checkLength, normalizeText, parseWorkTime } from '../../lib/comments/validation.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { type Parameters, parseParameters } from '../../lib/http/parameters.ts';
import { ok } from '../../lib/http/response/json.ts';
import { isAllDigits } from '../../lib/ids.ts';
import { mayEditBugs } from '../../lib/products/permissions.ts';
import type { CommentServices } from '../../lib/services.ts';
import { type Caller, isInGroup } from '../../lib/users/caller.ts';
import { requireUser } from '../../lib/users/permissions.ts';
import { workTime } from '../comments/schemas.ts';
import { bugUpdate, UPDATE_PARAMETERS } from './schemas.ts';

const MAX_BUGS = 50;

/**
 * Adds a comment, with hours worked, to the bug of the path and those of `ids`. All are checked before the first is
 * written. Every other change is refused.
 *
 * @throws errors of 53 for what cannot be changed, and those of creating a comment
 */
export const updateBug: Endpoint<CommentServices> = async (request, services) => {
  const given = readComment(request.parameters);
  if (given.text === '') throw errors.commentMissing();
  const caller = await request.caller;
  const user = requireUser(caller);
  const checked = new Map<number, { bug: BugItem; comment: NewComment }>();
  for (const name of [request.pathParameter('id_or_alias'), ...given.ids]) {
    if (isAllDigits(name) && checked.has(Number(name))) continue;
    const bug = await editableBug(name, caller, services);
    if (checked.has(bug.id)) continue;
    const content = checkComment(given, request.parameters, caller, services);
    checked.set(bug.id, { bug, comment: { id: await services.comments.allocateId(), ...content } });
  }
  for (const { bug, comment } of checked.values()) await services.bugs.addComment(user, bug, comment);

  const changed = await services.bugs.byIds([...checked.keys()]);
  const bugs = [...checked.keys()].map((id) => {
    const { aliases = [], last_change_time } = changed.get(id) ?? {};
    return { id, alias: aliases, last_change_time, changes: {} };
  });
  return ok({ bugs });
};

async function editableBug(
  name: string,
  caller: Caller,
  { bugs, products }: CommentServices,
): Promise<BugItem> {
  const id = await bugs.idOf(name);
  const bug = requireVisible(name, id, id === undefined ? undefined : await bugs.byId(id), caller);
  const product = await products.byId(bug.product_id);
  if (product === undefined || !mayEditBugs(product, caller)) {
    throw errors.productNotEditable(product?.name ?? String(bug.product_id));
  }
  return bug;
}

function checkComment(
  { text, isPrivate }: GivenComment,
  parameters: Parameters,
  caller: Caller,
  { settings }: CommentServices,
): Omit<NewComment, 'id'> {
  checkLength(text);
  if (isPrivate && !isInGroup(caller, settings.INSIDER_GROUP)) throw errors.privateNotAllowed();
  const isTracked = isInGroup(caller, settings.TIMETRACKING_GROUP);
  const hours = isTracked ? (parseParameters(workTime, parameters).work_time ?? '') : '';
  return { text, isPrivate, workTime: parseWorkTime(hours) };
}

interface GivenComment {
  ids: string[];
  text: string;
  isPrivate: boolean;
}

/** @throws errors.parameterUnknown, errors.parameterInvalid (400, 53), errors.requestTooLarge (400, 32000) */
function readComment(parameters: Parameters): GivenComment {
  for (const name of parameters.keys()) {
    if (!UPDATE_PARAMETERS.has(name)) throw errors.parameterUnknown(name);
  }
  const { comment, ids } = parseParameters(bugUpdate, parameters);
  if (ids.length > MAX_BUGS) throw errors.requestTooLarge(`at most ${MAX_BUGS} bugs`);
  const given = typeof comment === 'string' ? { body: comment } : comment;
  return {
    ids,
    text: normalizeText(given?.body ?? given?.comment ?? ''),
    isPrivate: given?.is_private ?? false,
  };
}
