import type { ProductServices } from '../../lib/composition.ts';
import { ok } from '../../lib/http/answer.ts';
import type { Endpoint } from '../../lib/http/chain.ts';
import { isOfType, type ProductType } from '../../lib/products/access.ts';

/**
 * Lists the ids of the products that the caller can select, enter bugs against, or either; ordered by id.
 * SPEC.md 4.1.
 */
export const listProductIds =
  (type: ProductType): Endpoint<ProductServices> =>
  async (request, { products }) => {
    const [caller, all] = await Promise.all([request.caller, products.catalogue()]);
    return ok({ ids: all.filter((product) => isOfType(product, type, caller)).map(({ id }) => id) });
  };
