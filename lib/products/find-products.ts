import { normalizeName } from '../base/text.ts';
import type { Caller } from '../people/caller.ts';
import { requireAccessible } from './permissions.ts';
import type { ProductRepository } from './repository.ts';
import type { ProductItem } from './schema.ts';

/** A product as a request names it. */
export type NamedProduct = { given: string; id: number } | { given: string; name: string };

/** The products that a request names, in its order, each once. */
export async function requireProducts(
  products: ProductRepository,
  named: readonly NamedProduct[],
  caller: Caller,
): Promise<ProductItem[]> {
  const names = named.flatMap((one) => ('name' in one ? [one.name] : []));
  const idsByName = await products.idsByName(names);
  const idOf = (one: NamedProduct) => ('id' in one ? one.id : idsByName.get(normalizeName(one.name)));
  const read = await products.products(named.flatMap((one) => idOf(one) ?? []));
  const byId = new Map(read.map((product) => [product.id, product]));
  const found = named.map((one) => {
    const product = byId.get(idOf(one) ?? -1);
    // The product may have been renamed since the name was looked up.
    const isMeant =
      product !== undefined && ('id' in one || normalizeName(product.name) === normalizeName(one.name));
    return requireAccessible(isMeant ? { product } : undefined, one.given, caller).product;
  });
  return [...new Set(found)];
}
