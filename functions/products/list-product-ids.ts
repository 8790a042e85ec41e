import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { ok } from '../../lib/http/response/json.ts';
import { isOfType, type ProductType } from '../../lib/products/permissions.ts';
import type { ProductIndexEntry } from '../../lib/products/schema.ts';
import { prefetch } from '../../lib/table/read.ts';
import type { ProductServices } from './services.ts';

/**
 * Lists the ids of the products that the caller can select, enter bugs against, or either; ordered by id.
 * functions/README.md 4.2.
 */
export const listProductIds =
  (type: ProductType): Endpoint<ProductServices> =>
  async (request, { products }) => {
    const pages = prefetch(products.index());
    const caller = await request.caller;
    return ok({ ids: idsOf(pages, (product) => isOfType(product, type, caller)) });
  };

async function* idsOf(
  pages: AsyncIterable<ProductIndexEntry[]>,
  isListed: (product: ProductIndexEntry) => boolean,
): AsyncGenerator<number[]> {
  for await (const page of pages) yield page.filter(isListed).map(({ id }) => id);
}
