import { productNameKey } from '../table/keys.ts';
import type { Action } from '../table/write.ts';
import type { ProductItem } from './schema.ts';

/** The name pointer of a product; the condition fails when another product has the name. */
export const putNameAction = ({ id, name }: ProductItem): Action => ({
  put: { ...productNameKey(name), product_id: id, name },
  condition: 'attribute_not_exists(pk) OR product_id = :id',
  values: { ':id': id },
});
