import { parseParameters } from '../../lib/base/parameters.ts';
import { type BugChange, historyChanges, hoursText, plainChange } from '../../lib/bugs/changes.ts';
import { newCommentParameters, workTime } from '../../lib/bugs/comments/requests.ts';
import { checkContent, contentOf, hoursLeft, parseWorkTime } from '../../lib/bugs/comments/validation.ts';
import { builtInRegistry } from '../../lib/bugs/fields/registry.ts';
import { productBarrier, requireVisible } from '../../lib/bugs/permissions.ts';
import type { BugItem } from '../../lib/bugs/schema.ts';
import { findBugs } from '../../lib/bugs/store/find-bugs.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { isInGroup, requireUser } from '../../lib/people/caller.ts';
import type { CommentServices } from './services.ts';

/**
 * Adds a comment to the bug of the path and responds with its id; hours that come with it lessen those that remain. The order of the
 * checks is Bugzilla's; what they read, the id and the words of the comment are read together.
 */
export const createComment: Endpoint<CommentServices> = async (request, services) => {
  const { settings, bugs, products, comments } = services;
  const bugName = request.pathParameter('id_or_alias');
  const [caller, [found]] = await Promise.all([request.caller, findBugs([bugName], bugs)]);
  const user = requireUser(caller);
  return services.idempotent(request, user, async (recordFor) => {
    const given = parseParameters(newCommentParameters, request.parameters);
    const content = contentOf(given.comment ?? '', { is_private: given.is_private ?? given.private });
    if (content.text === '') throw errors.commentMissing();
    const bug = requireVisible(bugName, found?.id, found?.bug, caller);
    const comment = { ...content, bug_id: bug.id, creator: user.login };
    const newWords = bugs.newWordsOf(comment);
    const [[product], id] = await Promise.all([
      products.indexEntries([bug.product_id]),
      comments.allocateId(),
    ]);
    const barrier = productBarrier(product, bug.product_id, caller);
    if (barrier !== undefined) throw barrier;
    checkContent(content, { isInsider: isInGroup(caller, settings.INSIDER_GROUP) });
    const work_time = isInGroup(caller, settings.TIMETRACKING_GROUP)
      ? parseWorkTime(parseParameters(workTime, request.parameters).work_time ?? '')
      : 0;
    const idempotency = recordFor(id);
    // Hours change what remains, which follows from the bug as it is when they are written.
    if (work_time === 0) await bugs.addComment(bug, { ...comment, id, work_time, idempotency }, newWords);
    else
      await bugs.writeAnew(bug, user, (read) => workedOn(read, { ...content, id, work_time }), idempotency);
    return id;
  });
};

/** The change of a bug by a comment with hours, as where a change brings them. */
function workedOn(before: BugItem, comment: BugChange['comments'][number]): BugChange {
  const after = { ...before, remaining_time: hoursLeft(before, comment.work_time) };
  const removed = hoursText(before.remaining_time);
  const added = hoursText(after.remaining_time);
  // Other hours may have been worked since the request began.
  const changes = removed === added ? [] : [{ field_name: 'remaining_time', removed, added }];
  const history = historyChanges(changes, [comment], [], builtInRegistry);
  return plainChange(before, after, { changes, comments: [comment], history });
}
