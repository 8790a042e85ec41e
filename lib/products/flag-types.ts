import { type Caller, isInGroup } from '../people/caller.ts';
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

/** The types of the flags that attachments of a bug may have. */
export const attachmentFlagTypes = (
  { product_id, component_id }: { product_id: number; component_id: number },
  { products }: { products: ReadonlyMap<number, { flagTypes: readonly FlagTypeItem[] }> },
): FlagTypeItem[] => availableTypes(products.get(product_id)?.flagTypes ?? [], 'attachment', component_id);

/** Whether a caller may give flags of a type a status. */
export function maySet(
  type: Pick<FlagTypeItem, 'grant_group' | 'request_group'> | undefined,
  status: string,
  caller: Caller,
): boolean {
  const groups =
    status === '?' && type?.request_group ? [type.request_group, type.grant_group] : [type?.grant_group];
  if (status === '?' && !type?.request_group) return true;
  return groups.some((group) => group === null || group === undefined || isInGroup(caller, group.name));
}
