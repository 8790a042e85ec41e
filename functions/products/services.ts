import { idempotent } from '../../lib/http/idempotency.ts';
import { openServices } from '../../lib/http/services.ts';
import { productWriter } from '../../lib/products/product-writer.ts';
import { productRepository } from '../../lib/products/repository.ts';

/** The services of the product endpoints. */
export function productServices(environment: Record<string, string | undefined>) {
  const { table, services } = openServices(environment);
  const { now } = services;
  const products = productRepository(table, now);
  return {
    ...services,
    products,
    productWriter: productWriter(table, products, now),
    idempotent: idempotent(table, now),
  };
}
export type ProductServices = ReturnType<typeof productServices>;
