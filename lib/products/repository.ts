import { isDeepStrictEqual } from 'node:util';
import { portions } from '../base/collections.ts';
import { canBeKey } from '../base/names.ts';
import { normalizeName } from '../base/text.ts';
import type { Table } from '../table/client.ts';
import { sizeOf, withoutBound } from '../table/consumption.ts';
import { isSettled, type RangeVersion, raiseVersion, rangeVersion } from '../table/counters.ts';
import {
  classificationKey,
  productIndexKey,
  productIndexRange,
  productIndexVersionKey,
  productKey,
  productNameKey,
} from '../table/keys.ts';
import { readItem, readItems, readPages } from '../table/read.ts';
import type { Action } from '../table/write.ts';
import { withParts } from './document.ts';
import { type KnownProduct, type KnownProducts, knownProduct } from './place.ts';
import {
  type ClassificationItem,
  classificationItem,
  type ProductIndexEntry,
  type ProductItem,
  type ProductNameItem,
  type ProductWithParts,
  productIndexEntry,
  productIndexItem,
  productItem,
  productNameItem,
} from './schema.ts';
import { UNCLASSIFIED } from './validation.ts';

export type ProductRepository = ReturnType<typeof productRepository>;

/** What follows from a way to read products with their parts, ordered by id; unknown ones are left out. */
const partsReaders = (allWithParts: (ids: number[]) => Promise<ProductWithParts[]>) => ({
  allWithParts,

  /** A product with its parts; unknown: undefined. */
  withParts: async (id: number): Promise<ProductWithParts | undefined> => (await allWithParts([id]))[0],

  /** The products of bugs with their parts, by id. */
  async ofBugs(bugs: Iterable<{ product_id: number }>): Promise<Map<number, ProductWithParts>> {
    const read = await allWithParts([...new Set(Array.from(bugs, ({ product_id }) => product_id))]);
    return new Map(read.map((one) => [one.product.id, one]));
  },
});

/** The products of the table. */
export function productRepository(table: Table, now = table.now) {
  const index = openProductIndex(table, now);

  /** Products without their parts; unknown ones are left out. */
  const products = (ids: number[]): Promise<ProductItem[]> =>
    readItems(table, ids.map(productKey), productItem);

  return {
    products,

    /** The index entries of these products; unknown ones are left out. */
    indexEntries: (ids: number[]): Promise<ProductIndexEntry[]> =>
      readItems(table, ids.map(productIndexKey), productIndexItem),

    ...partsReaders(async (ids) => {
      const found = await withParts(table, await products(ids));
      return found.sort((a, b) => a.product.id - b.product.id);
    }),

    /** The product index, ordered by id, page by page (at most 1 MB each). */
    index: () => index.pages(),

    /** Ids of the products with these names, in any case, by normalized name; unknown ones are left out. */
    async idsByName(names: string[]): Promise<Map<string, number>> {
      const found = await readItems(table, names.filter(canBeKey).map(productNameKey), productNameItem);
      return new Map(found.map(({ name, product_id }) => [normalizeName(name), product_id]));
    },

    /** A product without its parts; unknown: undefined. */
    byId: (id: number): Promise<ProductItem | undefined> => readItem(table, productKey(id), productItem),

    /** Adds the parts to products that were read. */
    addParts: (products: ProductItem[]): Promise<ProductWithParts[]> => withParts(table, products),

    /** The classification with this name, in any case, if it exists; `Unclassified` always does. */
    async classification(name: string): Promise<string | undefined> {
      if (normalizeName(name) === normalizeName(UNCLASSIFIED)) return UNCLASSIFIED;
      return (await this.classificationItem(name))?.name;
    },

    /** The stored classification with this name, in any case; unknown: undefined. */
    async classificationItem(name: string): Promise<ClassificationItem | undefined> {
      if (!canBeKey(name)) return undefined;
      return readItem(table, classificationKey(name), classificationItem);
    },

    /** The product that has this name in some case, and how it spells it; none: undefined. */
    async holderOf(name: string): Promise<ProductNameItem | undefined> {
      if (!canBeKey(name)) return undefined;
      return readItem(table, productNameKey(name), productNameItem);
    },
  };
}

/** Products that are read together, which bounds what is in memory. */
const READ_TOGETHER = 50;

/** All products with their parts, ordered by id. */
export async function* everyProduct(
  products: Pick<ProductRepository, 'index' | 'allWithParts'>,
): AsyncGenerator<ProductWithParts> {
  for await (const page of products.index()) {
    for (const some of portions(page, { max: READ_TOGETHER })) {
      yield* await products.allWithParts(some.map(({ id }) => id));
    }
  }
}

/** Bounds the memory of a process: whole products as stored without compression, several times as much as objects. */
const MAX_BYTES_OF_PRODUCTS = 10_000_000;
/** Products of which the names are remembered, without the rest. */
const MAX_KNOWN = 1_000;

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
    if (bytes > MAX_BYTES_OF_PRODUCTS) return;
    whole.set(id, { product, bytes });
    total += bytes;
    // The one that was read first leaves first.
    for (const [oldest] of whole) {
      if (total <= MAX_BYTES_OF_PRODUCTS) return;
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

/**
 * The transaction actions by which the product index follows changes of products: the entries that change, and the
 * version of the index.
 *
 * @param changes before undefined: it is new
 */
export function productIndexActions(
  changes: readonly { before: ProductItem | undefined; after: ProductItem }[],
  now: Date,
): Action[] {
  const entries = changes.flatMap(({ before, after }): Action[] => {
    const entry = productIndexEntry(after);
    const isUnchanged = before !== undefined && isDeepStrictEqual(productIndexEntry(before), entry);
    return isUnchanged ? [] : [{ put: { ...productIndexKey(after.id), ...entry } }];
  });
  return entries.length === 0 ? [] : [...entries, raiseVersionAction(now)];
}

/** The transaction action that makes every process read the product index again. */
export const raiseVersionAction = (now: Date): Action => raiseVersion(productIndexVersionKey, now);

/** A product as it was read, by its revision. */
export type ReadProduct = Pick<ProductItem, 'id' | 'revision'>;

/**
 * The transaction action that fails when a product has changed since it was read: on its entry in the index, which is small
 * and changes with each revision. Entries of early versions have no revision until the product changes.
 */
export const unchangedProduct = ({ id, revision }: ReadProduct): Action => ({
  check: productIndexKey(id),
  condition: 'revision = :revision OR (attribute_exists(pk) AND attribute_not_exists(revision))',
  values: { ':revision': revision },
});

/** Bounds the memory of a process: entries take about 200 bytes. */
const MAX_CACHED_ENTRIES = 50_000;

/**
 * The product index, cached in memory. A read of its version decides whether the cached entries are current, so they
 * are never stale.
 */
function openProductIndex(table: Table, now: () => Date) {
  let cached: { version: number; entries: ProductIndexEntry[] } | undefined;

  const readVersion = () => readItem(table, productIndexVersionKey, rangeVersion);

  /** Caches entries that were read between two reads of the same version. */
  async function cache(before: RangeVersion | undefined, entries: ProductIndexEntry[]): Promise<void> {
    if (before === undefined || !isSettled(before, now()) || entries.length > MAX_CACHED_ENTRIES) return;
    const after = await readVersion();
    if (after?.version === before.version) cached = { version: before.version, entries };
  }

  return {
    /** All entries, ordered by product id, page by page (at most 1 MB each). */
    async *pages(): AsyncGenerator<ProductIndexEntry[]> {
      const version = await readVersion();
      if (version !== undefined && version.version === cached?.version) {
        yield cached.entries;
        return;
      }
      const entries: ProductIndexEntry[] = [];
      for await (const page of readPages(table, productIndexRange, productIndexItem)) {
        if (entries.length <= MAX_CACHED_ENTRIES) entries.push(...page);
        yield page;
      }
      await cache(version, entries);
    },
  };
}
