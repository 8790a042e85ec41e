import { errors } from '../errors.ts';
import { type Caller, isInGroup, RIGHTS, requireUser, type User } from '../people/caller.ts';
import {
  type GroupControl,
  type ProductIndexEntry,
  type ProductItem,
  type ProductRight,
  productIndexEntry,
} from './schema.ts';

/** The product types of a query. functions/README.md 4.3. */
const productTypes = ['accessible', 'selectable', 'enterable'] as const;
export type ProductType = (typeof productTypes)[number];

const typeNames: ReadonlySet<string> = new Set(productTypes);

/** Whether a text names one of them, in just this spelling. */
export function isProductType(text: string): text is ProductType {
  return typeNames.has(text);
}

type Access = Pick<ProductIndexEntry, 'takes_bugs' | 'group_controls'>;

const isMember = (caller: Caller) => (control: Pick<GroupControl, 'group'>) =>
  isInGroup(caller, control.group);

/** Whether the caller may search the product's bugs: in every group that is MANDATORY for it. functions/README.md 4. */
function isSelectable(product: Access, caller: Caller): boolean {
  return product.group_controls
    .filter((control) => control.membercontrol === 'MANDATORY')
    .every(isMember(caller));
}

/** Whether the caller may enter bugs: it takes bugs, and the caller is in every group that has `entry`. functions/README.md 4. */
function isEnterable(product: Access, caller: Caller): boolean {
  return (
    product.takes_bugs && product.group_controls.filter((control) => control.entry).every(isMember(caller))
  );
}

/** Whether a product is among those of `type` for the caller. functions/README.md 4.1. */
export function isOfType(product: Access, type: ProductType, caller: Caller): boolean {
  switch (type) {
    case 'selectable':
      return isSelectable(product, caller);
    case 'enterable':
      return isEnterable(product, caller);
    case 'accessible':
      return isSelectable(product, caller) || isEnterable(product, caller);
  }
}

/**
 * The product, if it exists and is accessible to the caller.
 *
 * @param given how the request names it
 */
export function requireAccessible<T extends { product: ProductItem }>(
  found: T | undefined,
  given: string,
  caller: Caller,
): T {
  if (found === undefined || !isOfType(productIndexEntry(found.product), 'accessible', caller)) {
    throw errors.productAccessDenied(given);
  }
  return found;
}

/** What has the group controls of a product; undefined: none is known. */
type Controlled = Pick<ProductItem, 'group_controls'> | undefined;

/** Whether the caller has a right that groups give: for all products, or a group of this one for its members. */
export function hasRight(caller: Caller, right: ProductRight, product: Controlled): boolean {
  const isGranted = (control: GroupControl) => control[right] && isInGroup(caller, control.group);
  return isInGroup(caller, right) || (product?.group_controls.some(isGranted) ?? false);
}

/** Requires the right to edit a product: of all, or by a group of this one. @returns the user */
export function requireProductEditor(caller: Caller, product: Controlled): User {
  const { group, allows } = RIGHTS.editComponents;
  const user = requireUser(caller);
  if (!hasRight(caller, group, product)) throw errors.notAuthorized(group, allows);
  return user;
}

/** Whether the caller may change the product's bugs: in every group that has `canedit`. functions/README.md 5.3. */
export function mayEditBugs(product: Pick<Access, 'group_controls'>, caller: Caller): boolean {
  return product.group_controls.filter((control) => control.canedit).every(isMember(caller));
}
