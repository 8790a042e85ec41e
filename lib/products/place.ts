import type { FlagTypeItem, ProductWithParts } from './schema.ts';

/** The names of what a bug belongs to. */
export type BugPlace = Readonly<Record<string, string>> & {
  product: string;
  component: string;
  classification: string;
};

/** What searches and presenters need of a product. */
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

/** A product is read once, and asked for its names by many requests. */
const derived = new WeakMap<ProductWithParts, KnownProduct>();

/** What is needed of a product that was read. */
export function knownProduct(whole: ProductWithParts): KnownProduct {
  const { product, components, milestones, flagTypes } = whole;
  const { id, revision, name, classification } = product;
  const known = derived.get(whole) ?? {
    ...{ id, revision, name, classification, flagTypes },
    components: new Map(components.map((one) => [one.id, one.name])),
    milestones: new Map(milestones.map((one) => [one.name, one.sort_key])),
  };
  derived.set(whole, known);
  return known;
}

/** What a bug belongs to; empty names where its product, or its component, does not exist. */
export function placeOf(
  { component_id }: { component_id: number },
  product: KnownProduct | undefined,
): BugPlace {
  const { name = '', classification = '', components } = product ?? {};
  return { product: name, component: components?.get(component_id) ?? '', classification };
}
