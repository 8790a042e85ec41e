import type { Table } from '../dynamodb/client.ts';
import { allocateIds } from '../dynamodb/counters.ts';
import { ConditionFailed, type StaleWrite } from '../dynamodb/errors.ts';
import {
  canBeKey,
  classificationKey,
  type Key,
  productIndexKey,
  productIndexPartition,
  productKey,
  productNameKey,
  productPartition,
  productPartKey,
} from '../dynamodb/keys.ts';
import { type Item, type Range, readItem, readItems, readPages, readRange } from '../dynamodb/read.ts';
import {
  ABSENT,
  type Action,
  MAX_TRANSACTION_ACTIONS,
  MAX_TRANSACTION_BYTES,
  retryConflicts,
  transactWrite,
  tryTransactWrite,
} from '../dynamodb/write.ts';
import { errors } from '../errors.ts';
import { idempotencyActions, type RecordFor } from '../idempotency/repository.ts';
import { mapConcurrent } from '../map-concurrent.ts';
import { bytes, normalizeName } from '../text.ts';
import type { User } from '../users/caller.ts';
import { productPartItem, putIndexAction, putNameAction } from './items.ts';
import {
  type ClassificationItem,
  classificationItem,
  componentItem,
  flagTypeItem,
  namedItem,
  type ProductIndexEntry,
  type ProductItem,
  type ProductNameItem,
  type ProductWithParts,
  productIndexItem,
  productItem,
  productNameItem,
  type ReleaseItem,
  releaseItem,
} from './schema.ts';
import { UNCLASSIFIED } from './validation.ts';

/** Which of a product's parts to read beside the product itself. Components come with the flag types. */
export interface Parts {
  components: boolean;
  milestones: boolean;
  versions: boolean;
}

/** A product to be created, with the names of its version and milestone. */
export interface NewProduct
  extends Pick<
    ProductItem,
    'name' | 'description' | 'classification' | 'is_active' | 'has_unconfirmed' | 'default_milestone'
  > {
  version: string;
}

/** A product before and after a change. */
export interface ProductChange {
  before: ProductItem;
  after: ProductItem;
}

export type ProductRepository = ReturnType<typeof productRepository>;

/** The products of the table. */
export function productRepository(table: Table, now = () => new Date()) {
  return {
    /** What the catalogue has of every product, ordered by id, page by page (at most 1 MB of slim items each). */
    async *catalogue(): AsyncGenerator<ProductIndexEntry[]> {
      for await (const page of readPages(table, { pk: productIndexPartition })) {
        yield page.map((item) => productIndexItem.parse(item));
      }
    },

    /** What the catalogue has of these products; unknown ones are left out. */
    async indexEntries(ids: number[]): Promise<ProductIndexEntry[]> {
      return (await readItems(table, ids.map(productIndexKey))).map((item) => productIndexItem.parse(item));
    },

    /** Ids of the products with these names, in any case, by folded name; unknown ones are left out. */
    async idsByName(names: string[]): Promise<Map<string, number>> {
      const items = await readItems(table, names.filter(canBeKey).map(productNameKey));
      const found = items.map((item) => productNameItem.parse(item));
      return new Map(found.map(({ name, product_id }) => [normalizeName(name), product_id]));
    },

    /** Products without their parts; unknown ones are left out. */
    async products(ids: number[]): Promise<ProductItem[]> {
      return (await readItems(table, ids.map(productKey))).map((item) => productItem.parse(item));
    },

    /** A product without its parts; unknown: undefined. */
    async byId(id: number): Promise<ProductItem | undefined> {
      const item = await readItem(table, productKey(id));
      return item === undefined ? undefined : productItem.parse(item);
    },

    /** The same, as products whose parts are not wanted. */
    async withoutParts(ids: number[]): Promise<ProductWithParts[]> {
      return (await this.products(ids)).map((product) => ({
        product,
        components: [],
        flagTypes: [],
        milestones: [],
        versions: [],
      }));
    },

    /** A product with some of its parts, in one query that reads no others; unknown: undefined. */
    async withParts(id: number, parts: Parts): Promise<ProductWithParts | undefined> {
      return parsedParts(await readRange(table, rangeOf(id, parts)));
    },

    /** Names of the product, its classification and the component that each of these bugs is in, by bug id. */
    async placesOf(
      bugs: readonly { id: number; product_id: number; component_id: number }[],
    ): Promise<Map<number, { product: string; component: string; classification: string }>> {
      const keys = bugs.flatMap(({ product_id, component_id }) => [
        productKey(product_id),
        productPartKey(product_id, 'COMPONENT', component_id),
      ]);
      const named = (await readItems(table, keys)).map((item) => namedItem.parse(item));
      const byKey = new Map(named.map((item) => [`${item.pk} ${item.sk}`, item]));
      const at = ({ pk, sk }: Key) => byKey.get(`${pk} ${sk}`) ?? { name: '', classification: '' };
      return new Map(
        bugs.map(({ id, product_id, component_id }) => {
          const { name: product, classification } = at(productKey(product_id));
          const { name: component } = at(productPartKey(product_id, 'COMPONENT', component_id));
          return [id, { product, component, classification }];
        }),
      );
    },

    /** The milestones of each of these products, by product id. */
    async milestones(ids: number[]): Promise<Map<number, ReleaseItem[]>> {
      const all = await mapConcurrent(ids, async (id) => {
        const items = await readRange(table, { pk: productPartition(id), prefix: 'MILESTONE#' });
        return [id, items.map((item) => releaseItem.parse(item))] as const;
      });
      return new Map(all);
    },

    /** The names of the milestones of each of these products, by product id. */
    async milestoneNames(ids: number[]): Promise<Map<number, Set<string>>> {
      const milestones = await this.milestones(ids);
      return new Map([...milestones].map(([id, all]) => [id, new Set(all.map(({ name }) => name))]));
    },

    /** The classification with this name, in any case; unknown: undefined. One is there without being made. */
    async classification(name: string): Promise<string | undefined> {
      if (normalizeName(name) === normalizeName(UNCLASSIFIED)) return UNCLASSIFIED;
      return (await this.classificationItem(name))?.name;
    },

    /** The stored classification with this name, in any case; unknown: undefined. */
    async classificationItem(name: string): Promise<ClassificationItem | undefined> {
      if (!canBeKey(name)) return undefined;
      const item = await readItem(table, classificationKey(name));
      return item === undefined ? undefined : classificationItem.parse(item);
    },

    /** The product that has this name in some case, and how it spells it; none: undefined. */
    async holderOf(name: string): Promise<ProductNameItem | undefined> {
      if (!canBeKey(name)) return undefined;
      const item = await readItem(table, productNameKey(name));
      return item === undefined ? undefined : productNameItem.parse(item);
    },

    /**
     * Creates a product with one version and one milestone.
     *
     * @param _user whose right to edit products was checked
     * @param recordFor the idempotency record of the request
     * @returns the id of the product
     * @throws errors.productNameTaken, errors.productNameDiffersInCase (400, 702) when the name was taken meanwhile;
     * ConditionFailed for a concurrent request with the same `Idempotency-Key`
     */
    async create(_user: User, { version, ...given }: NewProduct, recordFor: RecordFor): Promise<number> {
      const [id, versionId, milestoneId] = await Promise.all([
        allocateIds(table, 'product'),
        allocateIds(table, 'version'),
        allocateIds(table, 'milestone'),
      ]);
      const product: ProductItem = {
        ...given,
        id,
        has_active_component: false,
        has_active_version: true,
        group_controls: [],
        revision: 1,
      };
      const actions: Action[] = [
        putNameAction(product),
        { put: { ...productKey(id), ...product }, condition: ABSENT },
        putIndexAction(product),
        { put: productPartItem(id, 'VERSION', firstRelease(versionId, version)) },
        { put: productPartItem(id, 'MILESTONE', firstRelease(milestoneId, given.default_milestone)) },
        ...idempotencyActions(recordFor(id), now()),
      ];
      try {
        await retryConflicts(table, () => transactWrite(table, actions));
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
     * @returns undefined when written; otherwise why not: one of the products has changed since it was read, or its new
     * name was taken
     * @throws errors.requestTooLarge (400, 32000)
     */
    async update(_user: User, changes: ProductChange[]): Promise<StaleWrite | undefined> {
      const actions = changes.flatMap(updateActions);
      const size = changes.reduce(
        (sum, { after }) => sum + bytes(after.description) + PRODUCT_OVERHEAD_BYTES,
        0,
      );
      if (actions.length > MAX_TRANSACTION_ACTIONS || size > MAX_TRANSACTION_BYTES) {
        throw errors.requestTooLarge(`at most ${MAX_TRANSACTION_ACTIONS} changes, 3.5 MB in all`);
      }
      return tryTransactWrite(table, actions);
    },
  };
}

/** Of a product, without the description. */
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

/** The part of a product's partition that is needed. */
function rangeOf(id: number, { components, milestones, versions }: Parts): Range {
  return {
    pk: productPartition(id),
    from: components ? 'COMPONENT#' : milestones ? 'MILESTONE#' : 'PRODUCT',
    to: versions ? 'VERSION#~' : 'PRODUCT',
  };
}

/** A product of the items of its partition; undefined when it is not among them. */
export function parsedParts(items: Item[]): ProductWithParts | undefined {
  const of = (kind: string) => items.filter((item) => String(item['sk']).split('#')[0] === kind);
  const [product] = of('PRODUCT');
  if (product === undefined) return undefined;
  return {
    product: productItem.parse(product),
    components: of('COMPONENT').map((item) => componentItem.parse(item)),
    flagTypes: of('FLAGTYPE').map((item) => flagTypeItem.parse(item)),
    milestones: of('MILESTONE').map((item) => releaseItem.parse(item)),
    versions: of('VERSION').map((item) => releaseItem.parse(item)),
  };
}

function updateActions({ before, after }: ProductChange): Action[] {
  const actions: Action[] = [];
  if (after.name !== before.name) {
    actions.push(putNameAction(after));
    if (normalizeName(after.name) !== normalizeName(before.name)) {
      actions.push({ remove: productNameKey(before.name) });
    }
  }
  actions.push({
    put: { ...productKey(after.id), ...after, revision: before.revision + 1 },
    condition: 'revision = :read',
    values: { ':read': before.revision },
  });
  if (after.name !== before.name || after.is_active !== before.is_active) {
    actions.push(putIndexAction(after));
  }
  return actions;
}
