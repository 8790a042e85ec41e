import { idempotent } from '../../lib/http/idempotency.ts';
import { openServices } from '../../lib/http/services.ts';
import { idempotencyRepository } from '../../lib/idempotency/repository.ts';
import { productRepository } from '../../lib/products/repository.ts';

/** The services of the product endpoints. */
export function productServices(environment: Record<string, string | undefined>) {
  const { table, services } = openServices(environment);
  const { now } = services;
  return {
    ...services,
    products: productRepository(table, now),
    idempotent: idempotent(idempotencyRepository(table, now), now),
  };
}
export type ProductServices = ReturnType<typeof productServices>;
