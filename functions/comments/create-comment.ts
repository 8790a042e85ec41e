import { parseParameters } from '../../lib/base/parameters.ts';
import { addComment } from '../../lib/bugs/change/add-comment.ts';
import { newCommentParameters, workTime } from '../../lib/bugs/comments/requests.ts';
import { contentOf, parseWorkTime } from '../../lib/bugs/comments/validation.ts';
import { requireVisible } from '../../lib/bugs/permissions.ts';
import { findBugs } from '../../lib/bugs/store/find-bugs.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { isInGroup, requireUser } from '../../lib/people/caller.ts';
import type { CommentServices } from './services.ts';

/** Adds a comment to the bug of the path and responds with its id. The order of the checks is Bugzilla's. */
export const createComment: Endpoint<CommentServices> = async (request, services) => {
  const { settings, bugs } = services;
  const bugName = request.pathParameter('id_or_alias');
  const [caller, [found]] = await Promise.all([request.caller, findBugs([bugName], bugs)]);
  const user = requireUser(caller);
  return services.idempotent(request, user, async (recordFor) => {
    const given = parseParameters(newCommentParameters, request.parameters);
    const content = contentOf(given.comment ?? '', { is_private: given.is_private ?? given.private });
    if (content.text === '') throw errors.commentMissing();
    const bug = requireVisible(bugName, found?.id, found?.bug, caller);
    const editor = { user, caller, isInsider: isInGroup(caller, settings.INSIDER_GROUP) };
    const hours = () =>
      isInGroup(caller, settings.TIMETRACKING_GROUP)
        ? parseWorkTime(parseParameters(workTime, request.parameters).work_time ?? '')
        : 0;
    return addComment(bug, { content, hours, editor, recordFor }, services);
  });
};
