import { lastVisitRepository } from '../../lib/bugs/store/last-visits.ts';
import { bugRepository } from '../../lib/bugs/store/repository.ts';
import { idempotent } from '../../lib/http/idempotency.ts';
import { openServices } from '../../lib/http/services.ts';
import { accountRepository } from '../../lib/people/account-repository.ts';
import { auditRepository } from '../../lib/people/audit/repository.ts';
import { groupRepository } from '../../lib/people/group-repository.ts';
import { productDocumentRepository } from '../../lib/products/document-repository.ts';
import { productRepository } from '../../lib/products/repository.ts';
import { openBugIndex } from '../../lib/search/index/bug-index.ts';
import { bugsOfProduct } from '../../lib/search/index/view.ts';

/** The services of the administrative endpoints. */
export function administrationServices(environment: Record<string, string | undefined>) {
  const { table, services } = openServices(environment);
  const { now, settings } = services;
  const bugs = bugRepository(table, now);
  const index = openBugIndex(table, bugs, now, !settings.READ_ONLY);
  return {
    ...services,
    table,
    accounts: accountRepository(table),
    audit: auditRepository(table),
    groups: groupRepository(table),
    idempotent: idempotent(table, now),
    bugs,
    idsOfProduct: (product: number) => bugsOfProduct(index, product),
    productDocuments: productDocumentRepository(table),
    lastVisits: lastVisitRepository(table),
    products: productRepository(table, now),
  };
}
export type AdministrationServices = ReturnType<typeof administrationServices>;
