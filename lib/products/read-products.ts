import type { ProductRepository } from './repository.ts';
import type { ProductWithParts } from './schema.ts';

/** The products of bugs with their parts, by id. */
export async function readProducts(
  bugs: Iterable<{ product_id: number }>,
  { products }: { products: Pick<ProductRepository, 'allWithParts'> },
): Promise<Map<number, ProductWithParts>> {
  const ids = new Set([...bugs].map(({ product_id }) => product_id));
  const read = await products.allWithParts([...ids]);
  return new Map(read.map((one) => [one.product.id, one]));
}
