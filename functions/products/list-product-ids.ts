import type { ProductServices } from '../../lib/composition.ts';
import { readAhead } from '../../lib/db/reading.ts';
import { ok } from '../../lib/http/answer.ts';
import type { Endpoint } from '../../lib/http/chain.ts';
import { isOfType, type ProductType } from '../../lib/products/access.ts';
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
