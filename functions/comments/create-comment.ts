import { checkNewComment } from '../../lib/bugs/change/new-comment.ts';
import { requireVisible } from '../../lib/bugs/permissions.ts';
import { findBugs } from '../../lib/bugs/store/find-bugs.ts';
import { newComment, workTime } from '../../lib/comments/requests.ts';
import { MAX_COMMENT_LENGTH, normalizeText, parseWorkTime } from '../../lib/comments/validation.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { parseParameters } from '../../lib/parameters.ts';
import { isInGroup } from '../../lib/users/caller.ts';
import { requireUser } from '../../lib/users/permissions.ts';
import type { CommentServices } from './services.ts';

/** Adds a comment to the bug of the path and responds with its id. The order of the checks is Bugzilla's. */
export const createComment: Endpoint<CommentServices> = async (request, services) => {
  const { settings, bugs } = services;
  const bugName = request.pathParameter('id_or_alias');
  const [caller, [found]] = await Promise.all([request.caller, findBugs([bugName], bugs)]);
  const user = requireUser(caller);
  return services.idempotent(request, user, async (recordFor) => {
    const given = parseParameters(newComment, request.parameters);
    const text = normalizeText(given.comment ?? '');
    if (text === '') throw errors.commentMissing();
    const bug = requireVisible(bugName, found?.id, found?.bug, caller);
    const requested = { text, isPrivate: given.is_private ?? given.private ?? false };
    const editor = { caller, isInsider: isInGroup(caller, settings.INSIDER_GROUP) };
    const newWords = services.words.prepare({
      ...{ bug_id: bug.id, creator: user.login },
      // A text that is too long is refused below.
      ...{ text: text.slice(0, 2 * MAX_COMMENT_LENGTH), is_private: requested.isPrivate },
    });
    // A request that is refused meanwhile does not wait for it.
    newWords.catch(() => undefined);
    const comment = await checkNewComment(bug, requested, editor, services);
    const hours = isInGroup(caller, settings.TIMETRACKING_GROUP)
      ? parseWorkTime(parseParameters(workTime, request.parameters).work_time ?? '')
      : 0;
    await bugs.addComment(user, bug, { ...comment, workTime: hours }, recordFor, newWords);
    return comment.id;
  });
};
