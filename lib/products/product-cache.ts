import { portions } from '../base/portions.ts';
import { withoutBound } from '../table/consumption.ts';
import { sizeOf } from '../table/item-size.ts';
import { type KnownProduct, type KnownProducts, knownProduct } from './place.ts';
import { type ProductRepository, partsReaders } from './repository.ts';
import type { ProductIndexEntry, ProductWithParts } from './schema.ts';

/** Bounds the memory of a process: whole products as stored without compression, several times as much as objects. */
const MAX_WHOLE_BYTES = 10_000_000;
/** Products of which the names are remembered, without the rest. */
const MAX_KNOWN = 1_000;
/** Products that are read before they are remembered, so that they stay when the next ones take too long. */
const READ_TOGETHER = 50;

export type RememberedProducts = ReturnType<typeof rememberProducts>;

/**
 * A repository that remembers products between requests, each as of one revision, which the product index tells in each
 * request. Of products that searches read, and of those that leave for others, only what searches need is remembered.
 */
export function rememberProducts(stored: ProductRepository) {
  const known = new Map<number, KnownProduct>();
  const whole = new Map<number, { product: ProductWithParts; bytes: number }>();
  let total = 0;

  function forget(id: number): void {
    total -= whole.get(id)?.bytes ?? 0;
    whole.delete(id);
  }

  function rememberKnown(product: KnownProduct): void {
    if (known.size < MAX_KNOWN || known.has(product.id)) known.set(product.id, product);
  }

  function rememberWhole(product: ProductWithParts): void {
    const { id } = product.product;
    const bytes = sizeOf(product);
    rememberKnown(knownProduct(product));
    forget(id);
    if (bytes > MAX_WHOLE_BYTES) return;
    whole.set(id, { product, bytes });
    total += bytes;
    // The one that was read first leaves first.
    for (const [oldest] of whole) {
      if (total <= MAX_WHOLE_BYTES) return;
      forget(oldest);
    }
  }

  async function read(ids: number[]): Promise<ProductWithParts[]> {
    if (ids.length === 0) return [];
    const found = await stored.allWithParts(ids);
    for (const one of found) rememberWhole(one);
    return found;
  }

  async function allWithParts(ids: number[]): Promise<ProductWithParts[]> {
    const asked = ids.filter((id) => whole.has(id));
    // Both are asked for in the same tick.
    const [unknown, entries] = await Promise.all([
      read(ids.filter((id) => !whole.has(id))),
      stored.indexEntries(asked),
    ]);
    const revisions = new Map(entries.map(({ id, revision }) => [id, revision]));
    const current = asked.flatMap((id) => {
      const product = whole.get(id)?.product;
      return product !== undefined && product.product.revision === revisions.get(id) ? [product] : [];
    });
    const isCurrent = new Set(current.map(({ product }) => product.id));
    const changed = await read(asked.filter((id) => !isCurrent.has(id)));
    return [...unknown, ...current, ...changed].sort((a, b) => a.product.id - b.product.id);
  }

  return {
    ...stored,
    ...partsReaders(allWithParts),

    /**
     * The products of index entries, as far as searches need them; only those that have another revision are read.
     *
     * @param index as read in this request
     */
    async known(index: readonly ProductIndexEntry[]): Promise<KnownProducts> {
      const changed = index.filter(({ id, revision }) => {
        const remembered = known.get(id);
        return remembered === undefined || revision === undefined || remembered.revision < revision;
      });
      const found = new Map(index.flatMap(({ id }) => known.get(id) ?? []).map((one) => [one.id, one]));
      for (const some of portions(changed, { max: READ_TOGETHER })) {
        const products = await withoutBound(() => stored.allWithParts(some.map(({ id }) => id)));
        for (const one of products.map(knownProduct)) {
          found.set(one.id, one);
          rememberKnown(one);
        }
      }
      return found;
    },
  };
}
