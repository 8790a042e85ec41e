import { withoutBound } from '../dynamodb/consumption.ts';
import { portions } from '../portions.ts';
import type { BugPlace } from './place.ts';
import type { ProductRepository } from './repository.ts';
import type { FlagTypeItem, ProductIndexEntry, ProductWithParts } from './schema.ts';

/** What searches and presenters need of a product, as remembered between requests. */
export interface KnownProduct {
  id: number;
  revision: number;
  name: string;
  classification: string;
  /** names by id */
  components: ReadonlyMap<number, string>;
  /** sort keys of milestones by name */
  milestones: ReadonlyMap<string, number>;
  flagTypes: readonly FlagTypeItem[];
}

/** Products by id. */
export type KnownProducts = ReadonlyMap<number, KnownProduct>;

/** What is needed of a product that was read. */
export function knownProduct({ product, components, milestones, flagTypes }: ProductWithParts): KnownProduct {
  const { id, revision, name, classification } = product;
  return {
    id,
    revision,
    name,
    classification,
    components: new Map(components.map((one) => [one.id, one.name])),
    milestones: new Map(milestones.map((one) => [one.name, one.sort_key])),
    flagTypes,
  };
}

/** What a bug belongs to; empty names where its product, or its component, does not exist. */
export function placeOf(
  { component_id }: { component_id: number },
  product: KnownProduct | undefined,
): BugPlace {
  const { name = '', classification = '', components } = product ?? {};
  return { product: name, component: components?.get(component_id) ?? '', classification };
}

/** Products that are read before they are remembered, so that they stay when the next ones take too long. */
const READ_TOGETHER = 50;
/** Bounds the memory of a process. */
const MAX_REMEMBERED = 1_000;

/** Remembers products between requests. */
export function openKnownProducts(products: ProductRepository) {
  const remembered = new Map<number, KnownProduct>();

  return {
    /**
     * The current products, from the cache where the product index has the same revision; only others are read.
     *
     * @param index of the products, as read in this request
     */
    async current(index: readonly ProductIndexEntry[]): Promise<KnownProducts> {
      const changed = index.filter(({ id, revision }) => {
        const known = remembered.get(id);
        return known === undefined || revision === undefined || known.revision < revision;
      });
      const found = new Map(index.flatMap(({ id }) => remembered.get(id) ?? []).map((one) => [one.id, one]));
      for (const some of portions(changed, { max: READ_TOGETHER })) {
        const read = await withoutBound(() => products.allWithParts(some.map(({ id }) => id)));
        for (const one of read) {
          const known = knownProduct(one);
          found.set(known.id, known);
          if (remembered.size < MAX_REMEMBERED || remembered.has(known.id)) remembered.set(known.id, known);
        }
      }
      return found;
    },
  };
}
