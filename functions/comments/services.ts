import { attachmentRepository } from '../../lib/bugs/attachments/repository.ts';
import { commentRepository } from '../../lib/bugs/comments/repository.ts';
import { commentsWithBugs } from '../../lib/bugs/store/comments-with-bugs.ts';
import { bugRepository } from '../../lib/bugs/store/repository.ts';
import { idempotent } from '../../lib/http/idempotency.ts';
import { openServices } from '../../lib/http/services.ts';
import { productRepository } from '../../lib/products/repository.ts';

/** The services of the comment endpoints. */
export function commentServices(environment: Record<string, string | undefined>) {
  const { table, services } = openServices(environment);
  const { now } = services;
  return {
    ...services,
    bugs: bugRepository(table, now),
    comments: commentRepository(table),
    attachments: attachmentRepository(table, now),
    commentsWithBugs: commentsWithBugs(table),
    products: productRepository(table, now),
    idempotent: idempotent(table, now),
  };
}
export type CommentServices = ReturnType<typeof commentServices>;
