import type { ProductServices } from '../../lib/services.ts';
import { readAhead } from '../../lib/dynamodb/read.ts';
import { ok } from '../../lib/http/response/json-response.ts';
import type { Endpoint } from '../../lib/http/handler.ts';
import { isOfType, type ProductType } from '../../lib/products/permissions.ts';
import type { CatalogueItem } from '../../lib/products/schema.ts';

/**
 * Lists the ids of the products that the caller can select, enter bugs against, or either; ordered by id.
 * SPEC.md 4.1.
 */
export const listProductIds =
  (type: ProductType): Endpoint<ProductServices> =>
  async (request, { products }) => {
    const pages = readAhead(products.catalogue());
    const caller = await request.caller;
    return ok({ ids: idsOf(pages, (product) => isOfType(product, type, caller)) });
  };

async function* idsOf(
  pages: AsyncIterable<CatalogueItem[]>,
  isListed: (product: CatalogueItem) => boolean,
): AsyncGenerator<number> {
  for await (const page of pages) yield* page.filter(isListed).map(({ id }) => id);
}
