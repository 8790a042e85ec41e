import type { CommentRepository } from '../../comments/repository.ts';
import type { ProductRepository } from '../../products/repository.ts';
import type { Editor } from '../editor.ts';
import { productBarrier } from '../permissions.ts';
import type { BugItem } from '../schema.ts';
import { checkComment } from './comments.ts';
import type { GivenComment } from './compute-changes.ts';

/**
 * Checks a comment to be added to a bug that the caller sees, and allocates its id meanwhile. The order of the checks is
 * Bugzilla's.
 */
export async function checkNewComment(
  { product_id }: BugItem,
  given: GivenComment,
  editor: Pick<Editor, 'caller' | 'isInsider'>,
  { products, comments }: { products: ProductRepository; comments: CommentRepository },
): Promise<GivenComment & { id: number }> {
  const [[product], id] = await Promise.all([products.indexEntries([product_id]), comments.allocateId()]);
  const barrier = productBarrier(product, product_id, editor.caller);
  if (barrier !== undefined) throw barrier;
  return { ...checkComment(given, editor), id };
}
