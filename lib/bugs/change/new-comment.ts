import type { CommentRepository } from '../../comments/repository.ts';
import type { CommentContent } from '../../comments/schema.ts';
import { checkContent } from '../../comments/validation.ts';
import type { RecordFor } from '../../idempotency/repository.ts';
import type { ProductRepository } from '../../products/repository.ts';
import type { User } from '../../users/caller.ts';
import type { Editor } from '../editor.ts';
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
 * Adds a comment to a bug that the caller sees. The order of the checks is Bugzilla's; what they read, the id and the words of the
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
  await bugs.addComment(bug, { ...comment, id, work_time: hours(), idempotency: recordFor(id) }, newWords);
  return id;
}
