import { sizeOf } from '../dynamodb/item-size.ts';
import type { ProductRepository } from './repository.ts';
import type { ProductWithParts } from './schema.ts';

/** Bounds the memory of a process: as stored without compression, several times as much as objects. */
const MAX_BYTES = 10_000_000;

/**
 * A repository that remembers products with their parts between requests. Each request reads their small entries in the
 * product index, strongly consistent: a product is read again where its entry has another revision.
 */
export function rememberProducts(products: ProductRepository): ProductRepository {
  const remembered = new Map<number, { product: ProductWithParts; bytes: number }>();
  let total = 0;

  function forget(id: number): void {
    total -= remembered.get(id)?.bytes ?? 0;
    remembered.delete(id);
  }

  function remember(product: ProductWithParts): void {
    const { id } = product.product;
    const bytes = sizeOf(product);
    forget(id);
    if (bytes > MAX_BYTES) return;
    remembered.set(id, { product, bytes });
    total += bytes;
    // The one that was read first leaves first.
    for (const [oldest] of remembered) {
      if (total <= MAX_BYTES) return;
      forget(oldest);
    }
  }

  async function read(ids: number[]): Promise<ProductWithParts[]> {
    if (ids.length === 0) return [];
    const found = await products.allWithParts(ids);
    for (const one of found) remember(one);
    return found;
  }

  async function allWithParts(ids: number[]): Promise<ProductWithParts[]> {
    const known = ids.filter((id) => remembered.has(id));
    // Both are asked for in the same tick.
    const [unknown, entries] = await Promise.all([
      read(ids.filter((id) => !remembered.has(id))),
      products.indexEntries(known),
    ]);
    const revisions = new Map(entries.map(({ id, revision }) => [id, revision]));
    const current = known.flatMap((id) => {
      const product = remembered.get(id)?.product;
      const isCurrent = product !== undefined && product.product.revision === revisions.get(id);
      return isCurrent ? [product] : [];
    });
    const isCurrent = new Set(current.map(({ product }) => product.id));
    const changed = await read(known.filter((id) => !isCurrent.has(id)));
    return [...unknown, ...current, ...changed].sort((a, b) => a.product.id - b.product.id);
  }

  return {
    ...products,
    allWithParts,
    withParts: async (id) => (await allWithParts([id]))[0],
  };
}
