import type { Table } from '../dynamodb/client.ts';
import { allocateIds } from '../dynamodb/counters.ts';
import { ConditionFailed } from '../dynamodb/errors.ts';
import {
  canBeKey,
  classificationKey,
  productIndexKey,
  productKey,
  productNameKey,
} from '../dynamodb/keys.ts';
import { readItem, readItems } from '../dynamodb/read.ts';
import {
  ABSENT,
  type Action,
  differingAttributes,
  MAX_TRANSACTION_ACTIONS,
  MAX_TRANSACTION_BYTES,
  setAction,
  transactWrite,
  transactWriteRetrying,
} from '../dynamodb/write.ts';
import { errors } from '../errors.ts';
import { idempotencyActions, type RecordFor } from '../idempotency/repository.ts';
import { bytes, normalizeName } from '../text.ts';
import type { User } from '../users/caller.ts';
import { toDocument, withParts } from './document.ts';
import { putNameAction } from './name-pointer.ts';
import { openProductIndex, productIndexActions } from './product-index.ts';
import {
  type ClassificationItem,
  classificationItem,
  type ProductFields,
  type ProductIndexEntry,
  type ProductItem,
  type ProductNameItem,
  type ProductWithParts,
  productIndexItem,
  productItem,
  productNameItem,
  type ReleaseItem,
} from './schema.ts';
import { UNCLASSIFIED } from './validation.ts';

/** A product to be created, with the names of its version and milestone. */
export interface NewProduct extends Omit<ProductFields, 'id'> {
  version: string;
}

/** A product before and after a change. */
export interface ProductChange {
  before: ProductItem;
  after: ProductItem;
}

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

    /**
     * Creates a product with one version and one milestone.
     *
     * @param _user whose right to edit products was checked
     * @param recordFor the idempotency record of the request
     * @returns the id of the product
     * @throws ConditionFailed
     */
    async create(_user: User, { version, ...given }: NewProduct, recordFor: RecordFor): Promise<number> {
      const [id, versionId, milestoneId] = await Promise.all([
        allocateIds(table, 'product'),
        allocateIds(table, 'version'),
        allocateIds(table, 'milestone'),
      ]);
      const { product } = toDocument(
        {
          ...given,
          id,
          has_active_component: false,
          has_active_version: true,
          group_controls: [],
          revision: 1,
        },
        {
          components: [],
          flagTypes: [],
          milestones: [firstRelease(milestoneId, given.default_milestone)],
          versions: [firstRelease(versionId, version)],
        },
      );
      const actions: Action[] = [
        putNameAction(product),
        { put: { ...productKey(id), ...product }, condition: ABSENT },
        ...productIndexActions([{ before: undefined, after: product }], now()),
        ...idempotencyActions(recordFor(id), now()),
      ];
      try {
        await transactWriteRetrying(table, actions);
        return id;
      } catch (error) {
        if (!(error instanceof ConditionFailed && error.indices.has(0))) throw error;
        throw nameTaken(given.name, await this.holderOf(given.name));
      }
    },

    /**
     * Makes all of these changes, or none.
     *
     * @param _user whose right to edit products was checked
     * @throws StaleWrite
     */
    async update(_user: User, given: ProductChange[]): Promise<void> {
      const changes = given.map(({ before, after }) => ({
        before,
        after: { ...after, revision: before.revision + 1 },
      }));
      const actions = [...changes.flatMap(updateActions), ...productIndexActions(changes, now())];
      const size = changes.reduce(
        (sum, { after }) => sum + bytes(after.description) + bytes(after.parts) + PRODUCT_OVERHEAD_BYTES,
        0,
      );
      if (actions.length > MAX_TRANSACTION_ACTIONS || size > MAX_TRANSACTION_BYTES) {
        throw errors.requestTooLarge(`at most ${MAX_TRANSACTION_ACTIONS} changes, 3.5 MB in all`);
      }
      await transactWrite(table, actions);
    },
  };
}

/** Bytes of a product without the description and the parts. */
const PRODUCT_OVERHEAD_BYTES = 2_000;

/** The error for a name that a product has already. functions/README.md 4 (702). */
export function nameTaken(name: string, holder: ProductNameItem | undefined) {
  return holder === undefined || holder.name === name
    ? errors.productNameTaken(name)
    : errors.productNameDiffersInCase(name);
}

function firstRelease(id: number, name: string): ReleaseItem {
  return { id, name, sort_key: 0, is_active: true };
}

function updateActions({ before, after }: ProductChange): Action[] {
  const actions: Action[] = [];
  if (after.name !== before.name) {
    actions.push(putNameAction(after));
    if (normalizeName(after.name) !== normalizeName(before.name)) {
      actions.push({ remove: productNameKey(before.name) });
    }
  }
  actions.push(
    setAction(productKey(after.id), differingAttributes(before, after), {
      condition: 'revision = :read',
      values: { ':read': before.revision },
    }),
  );
  return actions;
}
