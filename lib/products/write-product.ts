import { normalizeName } from '../base/text.ts';
import { productKey, productNameKey } from '../table/keys.ts';
import { ABSENT, type Action, differingAttributes, setAction } from '../table/write.ts';
import type { ProductItem } from './schema.ts';

/**
 * The transaction actions that write the item of a product, on the condition that it is as it was read, and before it its
 * name pointer, where the name changes: its condition fails when another product has the name.
 *
 * @param before undefined: it is new
 */
export function productActions(before: ProductItem | undefined, after: ProductItem): Action[] {
  const key = productKey(after.id);
  if (before === undefined) return [putName(after), { put: { ...key, ...after }, condition: ABSENT }];
  const write = setAction(key, differingAttributes(before, after), {
    condition: 'revision = :read',
    values: { ':read': before.revision },
  });
  if (before.name === after.name) return [write];
  const isSameName = normalizeName(before.name) === normalizeName(after.name);
  return [putName(after), ...(isSameName ? [] : [{ remove: productNameKey(before.name) }]), write];
}

const putName = ({ id, name }: ProductItem): Action => ({
  put: { ...productNameKey(name), product_id: id, name },
  condition: 'attribute_not_exists(pk) OR product_id = :id',
  values: { ':id': id },
});
