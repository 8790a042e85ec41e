import type { User } from '../../people/caller.ts';
import type { ProductRepository } from '../../products/repository.ts';
import type { RecordFor } from '../../table/idempotency.ts';
import { type BugChange, historyChanges, hoursText, plainChange } from '../changes.ts';
import type { CommentRepository } from '../comments/repository.ts';
import type { CommentContent } from '../comments/schema.ts';
import { checkContent, hoursLeft } from '../comments/validation.ts';
import type { Editor } from '../editor.ts';
import { builtInRegistry } from '../fields/registry.ts';
import { productBarrier } from '../permissions.ts';
import type { BugItem } from '../schema.ts';
import type { BugRepository } from '../store/repository.ts';

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
export async function addComment(
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
