import type { FlagTypeItem } from './schema.ts';

/** Whether flags of a type may be set in a component. */
export const isAvailable = (
  { target, components, excluded_components }: FlagTypeItem,
  wanted: FlagTypeItem['target'],
  component: number,
): boolean =>
  target === wanted &&
  (components === null || components.includes(component)) &&
  !excluded_components.includes(component);
