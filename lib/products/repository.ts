import { canBeKey } from '../base/names.ts';
import { normalizeName } from '../base/text.ts';
import type { Table } from '../table/client.ts';
import { classificationKey, productIndexKey, productKey, productNameKey } from '../table/keys.ts';
import { readItem, readItems } from '../table/read.ts';
import { withParts } from './document.ts';
import { openProductIndex } from './product-index.ts';
import {
  type ClassificationItem,
  classificationItem,
  type ProductIndexEntry,
  type ProductItem,
  type ProductNameItem,
  type ProductWithParts,
  productIndexItem,
  productItem,
  productNameItem,
} from './schema.ts';
import { UNCLASSIFIED } from './validation.ts';

export type ProductRepository = ReturnType<typeof productRepository>;

/** What follows from a way to read products with their parts, ordered by id; unknown ones are left out. */
export const partsReaders = (allWithParts: (ids: number[]) => Promise<ProductWithParts[]>) => ({
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
