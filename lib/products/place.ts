import type { ProductWithParts } from './schema.ts';

/** The names of what a bug belongs to. */
export type BugPlace = Readonly<Record<string, string>> & {
  product: string;
  component: string;
  classification: string;
};

/** What a bug belongs to; empty names where its product, or its component, does not exist. */
export function placeOf(
  { component_id }: { component_id: number },
  found: ProductWithParts | undefined,
): BugPlace {
  const { name = '', classification = '' } = found?.product ?? {};
  const component = found?.components.find(({ id }) => id === component_id)?.name ?? '';
  return { product: name, component, classification };
}
