import { addComment } from '../../lib/comments/commenting.ts';
import type { CommentServices } from '../../lib/composition.ts';
import { errors } from '../../lib/errors.ts';
import { ok } from '../../lib/http/answer.ts';
import type { Endpoint } from '../../lib/http/chain.ts';
import { parseParameters } from '../../lib/http/parameters.ts';
import { workTime } from '../comments/schemas.ts';
import { bugUpdate, UPDATE_PARAMETERS } from './schemas.ts';

/**
 * Adds a comment, with hours worked, to the bug of the path: as several clients do it. Every other change is
 * refused.
 *
 * @throws errors of 53 for what cannot be changed or for a second bug, and what addComment throws
 */
export const updateBug: Endpoint<CommentServices> = async (request, services) => {
  const inPath = request.pathParameter('id_or_alias');
  const { bugId } = await addComment(services, inPath, request.caller, () => {
    for (const name of request.parameters.keys()) {
      if (!UPDATE_PARAMETERS.has(name)) throw errors.parameterUnknown(name);
    }
    const { comment, ids } = parseParameters(bugUpdate, request.parameters);
    if (ids.some((id) => id !== inPath)) {
      throw errors.parameterInvalid('ids', 'one bug at a time, the one of the path, takes a comment');
    }
    const given = typeof comment === 'string' ? { body: comment } : comment;
    return {
      text: given?.body ?? given?.comment ?? '',
      isPrivate: given?.is_private ?? false,
      workTime: () => parseParameters(workTime, request.parameters).work_time ?? '',
    };
  });
  const bug = await services.bugs.byId(bugId);
  const { aliases = [], last_change_time } = bug ?? {};
  return ok({ bugs: [{ id: bugId, alias: aliases, last_change_time, changes: {} }] });
};
