import { bugRepository } from '../../lib/bugs/repository.ts';
import { bugSearch } from '../../lib/bugs/search/search.ts';
import { bugSettingsRepository } from '../../lib/bugs/settings-repository.ts';
import { tagRepository } from '../../lib/comment-tags/repository.ts';
import { commentRepository } from '../../lib/comments/repository.ts';
import { idempotent } from '../../lib/http/idempotency.ts';
import { openServices } from '../../lib/http/services.ts';
import { idempotencyRepository } from '../../lib/idempotency/repository.ts';
import { productRepository } from '../../lib/products/repository.ts';

/** The services of the bug endpoints. */
export function bugServices(environment: Record<string, string | undefined>) {
  const { table, services } = openServices(environment);
  const { now } = services;
  const repositories = {
    bugs: bugRepository(table, now),
    comments: commentRepository(table),
    products: productRepository(table, now),
  };
  return {
    ...services,
    ...repositories,
    bugSettings: bugSettingsRepository(table),
    search: bugSearch(table, { ...services, ...repositories }),
    tags: tagRepository(table),
    idempotent: idempotent(idempotencyRepository(table, now), now),
  };
}
export type BugServices = ReturnType<typeof bugServices>;
