import { idempotent } from '../../lib/http/idempotency.ts';
import { openServices } from '../../lib/http/services.ts';
import { productDocumentRepository } from '../../lib/products/document-repository.ts';
import { productRepository } from '../../lib/products/repository.ts';

/** The services of the product endpoints. */
export function productServices(environment: Record<string, string | undefined>) {
  const { table, services } = openServices(environment);
  const { now } = services;
  return {
    ...services,
    products: productRepository(table, now),
    productDocuments: productDocumentRepository(table),
    idempotent: idempotent(table, now),
  };
}
export type ProductServices = ReturnType<typeof productServices>;
