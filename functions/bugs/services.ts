import { attachmentRepository } from '../../lib/bugs/attachments/repository.ts';
import { bugChanges } from '../../lib/bugs/change/change-bugs.ts';
import { tagRepository } from '../../lib/bugs/comment-tags/repository.ts';
import { commentRepository } from '../../lib/bugs/comments/repository.ts';
import { wordIndex } from '../../lib/bugs/comments/word-index.ts';
import { lastVisitRepository } from '../../lib/bugs/store/last-visits.ts';
import { bugRepository } from '../../lib/bugs/store/repository.ts';
import { bugSettingsRepository } from '../../lib/bugs/store/settings-repository.ts';
import { idempotent } from '../../lib/http/idempotency.ts';
import { openServices } from '../../lib/http/services.ts';
import { savedSearchRepository } from '../../lib/people/saved-searches/repository.ts';
import { productRepository, rememberProducts } from '../../lib/products/repository.ts';
import { bugSearch } from '../../lib/search/search.ts';
import { openFiles } from '../explorer/files.ts';

/** The services of the bug endpoints. */
export function bugServices(environment: Record<string, string | undefined>) {
  const { table, services } = openServices(environment);
  const { now, settings } = services;
  const common = {
    ...services,
    bugs: bugRepository(table, now),
    comments: commentRepository(table),
    words: wordIndex(table),
    products: rememberProducts(productRepository(table, now)),
    lastVisits: lastVisitRepository(table),
    bugSettings: bugSettingsRepository(table),
    tags: tagRepository(table),
    attachments: attachmentRepository(table, now),
    savedSearches: savedSearchRepository(table),
    files: openFiles(),
  };
  return {
    ...common,
    search: bugSearch(table, common, now, !settings.READ_ONLY),
    changes: bugChanges(common),
    idempotent: idempotent(table, now),
  };
}
export type BugServices = ReturnType<typeof bugServices>;
