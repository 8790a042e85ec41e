import type { Table } from '../table/client.ts';
import { productIndexKey, productKey, productNameKey } from '../table/keys.ts';
import { deleteItem, transactWriteRetrying } from '../table/write.ts';
import { furtherKeys } from './document.ts';
import { desiredOf, productDocumentRepository } from './document-repository.ts';
import { productRepository, raiseVersionAction } from './repository.ts';

// For an import into a table that takes no writes: no request removes products, as bugs are in them.

/** Removes a product with its parts, but no bug. */
export async function removeProduct(table: Table, id: number): Promise<void> {
  const product = await productRepository(table).byId(id);
  if (product === undefined) return;
  await transactWriteRetrying(table, [
    { remove: productNameKey(product.name) },
    { remove: productIndexKey(id) },
    raiseVersionAction(table.now()),
    { remove: productKey(id) },
  ]);
  for (const key of furtherKeys(product)) await deleteItem(table, key);
}

/** Gives a product a name that no other one has, so that another one can take its name. */
export async function vacateName(table: Table, id: number): Promise<void> {
  const existing = await productRepository(table).withParts(id);
  if (existing === undefined) return;
  const { product, ...parts } = desiredOf(existing);
  const desired = { product: { ...product, name: `product-${id} of an import` }, ...parts };
  await productDocumentRepository(table).save([{ existing, desired }]);
}
