import { checkComment, type GivenComment } from '../../lib/comments/authorize.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler.ts';
import { type Parameters, parseParameters } from '../../lib/http/parameters.ts';
import { ok } from '../../lib/http/response/json-response.ts';
import { isAllDigits } from '../../lib/ids.ts';
import type { CommentServices } from '../../lib/services.ts';
import { workTime } from '../comments/schemas.ts';
import { bugUpdate, UPDATE_PARAMETERS } from './schemas.ts';

const MAX_BUGS = 50;

/**
 * Adds a comment, with hours worked, to the bug of the path and those of `ids`: as several clients do it. All
 * are checked before the first is written. Every other change is refused.
 *
 * @throws errors of 53 for what cannot be changed, and what checkComment throws
 */
export const updateBug: Endpoint<CommentServices> = async (request, services) => {
  const check = (name: string) =>
    checkComment(services, name, request.caller, () => readComment(request.parameters));
  const first = await check(request.pathParameter('id_or_alias'));
  const checked = new Map([[first.bug.id, first]]);
  for (const name of parseParameters(bugUpdate, request.parameters).ids) {
    if (isAllDigits(name) && checked.has(Number(name))) continue;
    const one = await check(name);
    checked.set(one.bug.id, checked.get(one.bug.id) ?? one);
  }
  for (const { bug, comment } of checked.values()) await services.comments.add(bug, comment);

  const changed = await services.bugs.byIds([...checked.keys()]);
  const bugs = [...checked.keys()].map((id) => {
    const { aliases = [], last_change_time } = changed.get(id) ?? {};
    return { id, alias: aliases, last_change_time, changes: {} };
  });
  return ok({ bugs });
};

/** @throws errors.parameterUnknown, errors.parameterInvalid (400, 53), errors.requestTooLarge (400, 32000) */
function readComment(parameters: Parameters): GivenComment {
  for (const name of parameters.keys()) {
    if (!UPDATE_PARAMETERS.has(name)) throw errors.parameterUnknown(name);
  }
  const { comment, ids } = parseParameters(bugUpdate, parameters);
  if (ids.length > MAX_BUGS) throw errors.requestTooLarge(`at most ${MAX_BUGS} bugs`);
  const given = typeof comment === 'string' ? { body: comment } : comment;
  return {
    text: given?.body ?? given?.comment ?? '',
    isPrivate: given?.is_private ?? false,
    workTime: () => parseParameters(workTime, parameters).work_time ?? '',
  };
}
