import { parseParameters } from '../../lib/base/parameters.ts';
import { type BugChange, historyChanges, hoursText, plainChange } from '../../lib/bugs/changes.ts';
import type { CommentRepository } from '../../lib/bugs/comments/repository.ts';
import { newCommentParameters, workTime } from '../../lib/bugs/comments/requests.ts';
import type { CommentContent } from '../../lib/bugs/comments/schema.ts';
import { checkContent, contentOf, hoursLeft, parseWorkTime } from '../../lib/bugs/comments/validation.ts';
import type { Editor } from '../../lib/bugs/editor.ts';
import { builtInRegistry } from '../../lib/bugs/fields/registry.ts';
import { productBarrier, requireVisible } from '../../lib/bugs/permissions.ts';
import type { BugItem } from '../../lib/bugs/schema.ts';
import { findBugs } from '../../lib/bugs/store/find-bugs.ts';
import type { BugRepository } from '../../lib/bugs/store/repository.ts';
import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { isInGroup, requireUser, type User } from '../../lib/people/caller.ts';
import type { ProductRepository } from '../../lib/products/repository.ts';
import type { RecordFor } from '../../lib/table/idempotency.ts';
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

/** A comment that a request adds. */
interface CommentRequest {
  content: CommentContent;
  /** reads the hours that come with it, when nothing else can refuse it */
  hours: () => number;
  /** who becomes the author */
  editor: Pick<Editor, 'caller' | 'isInsider'> & { user: User };
  recordFor: RecordFor;
}

/**
 * Adds a comment to a bug that the caller sees; hours that come with it lessen those that remain. The order of the checks is Bugzilla's; what they read, the id and the words of the
 * comment are read together.
 *
 * @returns the id
 * @throws DuplicateRequest, RetriesExhausted
 */
async function addComment(
  bug: BugItem,
  { content, hours, editor, recordFor }: CommentRequest,
  repositories: { bugs: BugRepository; products: ProductRepository; comments: CommentRepository },
): Promise<number> {
  const { bugs, products, comments } = repositories;
  const { product_id, id: bug_id } = bug;
  const comment = { ...content, bug_id, creator: editor.user.login };
  const newWords = bugs.newWordsOf(comment);
  const [[product], id] = await Promise.all([products.indexEntries([product_id]), comments.allocateId()]);
  const barrier = productBarrier(product, product_id, editor.caller);
  if (barrier !== undefined) throw barrier;
  checkContent(content, editor);
  const work_time = hours();
  const idempotency = recordFor(id);
  // Hours change what remains, which follows from the bug as it is when they are written.
  if (work_time === 0) {
    await bugs.addComment(bug, { ...comment, id, work_time, idempotency }, newWords);
  } else {
    await bugs.writeAnew(
      bug,
      editor.user,
      (read) => workedOn(read, { ...content, id, work_time }),
      idempotency,
    );
  }
  return id;
}

/** The change of a bug by a comment with hours, which lessen those that remain, as where a change brings them. */
function workedOn(before: BugItem, comment: BugChange['comments'][number]): BugChange {
  const after = { ...before, remaining_time: hoursLeft(before, comment.work_time) };
  const removed = hoursText(before.remaining_time);
  const added = hoursText(after.remaining_time);
  // Other hours may have been worked since the request began.
  const changes = removed === added ? [] : [{ field_name: 'remaining_time', removed, added }];
  const history = historyChanges(changes, [comment], [], builtInRegistry);
  return plainChange(before, after, { changes, comments: [comment], history });
}
