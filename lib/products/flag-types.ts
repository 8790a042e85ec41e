import type { FlagTypeItem } from './schema.ts';

/** Whether flags of a type may be set in a component. */
const isAvailable = (
  { target, components, excluded_components }: FlagTypeItem,
  wanted: FlagTypeItem['target'],
  component: number,
): boolean =>
  target === wanted &&
  (components === null || components.includes(component)) &&
  !excluded_components.includes(component);

/** The types of a product whose flags may be set in a component, inactive ones included. */
export const availableTypes = (
  types: readonly FlagTypeItem[],
  target: FlagTypeItem['target'],
  component: number,
): FlagTypeItem[] => types.filter((type) => isAvailable(type, target, component));
