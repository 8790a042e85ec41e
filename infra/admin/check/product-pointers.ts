import { isDeepStrictEqual } from 'node:util';
import type { Table } from '../../../lib/dynamodb/client.ts';
import {
  keyOf,
  productIndexKey,
  productIndexPartition,
  productIndexVersionKey,
  productKey,
  productNameKey,
} from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import { ABSENT, type Action } from '../../../lib/dynamodb/write.ts';
import { raiseVersionAction } from '../../../lib/products/product-index.ts';
import {
  type ProductIndexEntry,
  type ProductItem,
  type ProductNameItem,
  productIndexEntry,
  productIndexItem,
  productItem,
  productNameItem,
} from '../../../lib/products/schema.ts';
import { normalizeName } from '../../../lib/text.ts';
import { type Check, type Finding, keyText } from './finding.ts';
import { readBy } from './item-kinds.ts';

/**
 * The name of every product points to it, and its entry of the product index agrees with it. Names and entries belong to
 * existing products, which have the name.
 */
export function productPointersCheck(table: Table): Check {
  return {
    async scan(items) {
      const products = items.filter(({ sk }) => sk === 'PRODUCT').map((item) => productItem.parse(item));
      const all = await Promise.all([
        nameFindings(table, products),
        entryFindings(table, products),
        strayPointers(table, items),
      ]);
      return all.flat();
    },
  };
}

const unchanged = ({ id, revision }: ProductItem): Action => ({
  check: productKey(id),
  condition: 'revision = :read',
  values: { ':read': revision },
});

async function nameFindings(table: Table, products: ProductItem[]): Promise<Finding[]> {
  const keys = products.map(({ name }) => productNameKey(name));
  const pointers = await readBy(table, keys, productNameItem);
  return products.flatMap((product) =>
    nameFinding(product, pointers.get(keyText(productNameKey(product.name)))),
  );
}

function nameFinding(product: ProductItem, found: ProductNameItem | undefined): Finding[] {
  const key = productNameKey(product.name);
  const item = keyText(key);
  const pointer = { product_id: product.id, name: product.name };
  if (isDeepStrictEqual(found, pointer)) return [];
  const put = { ...key, ...pointer };
  if (found === undefined) {
    const violation = `is missing; product ${product.id} has this name`;
    return [{ item, violation, repair: [{ put, condition: ABSENT }, unchanged(product)] }];
  }
  const violation = `points to product ${found.product_id} as '${found.name}'; product ${product.id} is named '${product.name}'`;
  if (found.product_id !== product.id) return [{ item, violation }];
  const values = { ':id': product.id };
  return [{ item, violation, repair: [{ put, condition: 'product_id = :id', values }, unchanged(product)] }];
}

async function entryFindings(table: Table, products: ProductItem[]): Promise<Finding[]> {
  const keys = products.map(({ id }) => productIndexKey(id));
  const entries = await readBy(table, keys, productIndexItem);
  return products.flatMap((product): Finding[] => {
    const key = productIndexKey(product.id);
    const [actual, expected] = [entries.get(keyText(key)), productIndexEntry(product)];
    if (isDeepStrictEqual(actual, expected)) return [];
    const violation = `contains ${JSON.stringify(actual) ?? 'nothing'}, expected ${JSON.stringify(expected)}`;
    const put: Action = { put: { ...key, ...expected } };
    const repair = [put, raiseVersionAction(new Date()), unchanged(product)];
    return [
      { item: keyText(key), violation, signature: `differs in ${difference(actual, expected)}`, repair },
    ];
  });
}

/** A product that is renamed during each scan differs by another name each time: that is no violation. */
function difference(actual: ProductIndexEntry | undefined, expected: ProductIndexEntry): string {
  if (actual === undefined) return 'everything';
  if (actual.name !== expected.name) return `the name ${expected.name}`;
  return isDeepStrictEqual(actual.group_controls, expected.group_controls)
    ? `takes_bugs: ${expected.takes_bugs}`
    : 'group_controls';
}

async function strayPointers(table: Table, items: Item[]): Promise<Finding[]> {
  const pointers = items.flatMap((item) => {
    if (item.sk === 'PRODUCTNAME') return [{ item, id: productNameItem.parse(item).product_id }];
    return isIndexEntry(item) ? [{ item, id: productIndexItem.parse(item).id }] : [];
  });
  const keys = pointers.map(({ id }) => productKey(id));
  const products = await readBy(table, keys, productItem);
  return pointers.flatMap(({ item, id }): Finding[] => {
    const product = products.get(keyText(productKey(id)));
    const hasName = product !== undefined && `PRODUCTNAME#${normalizeName(product.name)}` === item.pk;
    const isValid = isIndexEntry(item) ? product !== undefined : hasName;
    return isValid ? [] : [strayPointer(item, id, product)];
  });
}

const isIndexEntry = ({ pk, sk }: Item): boolean =>
  pk === productIndexPartition && sk !== productIndexVersionKey.sk;

function strayPointer(item: Item, id: number, product: ProductItem | undefined): Finding {
  const key = keyOf(item);
  const remove: Action[] = [{ remove: key }, ...(isIndexEntry(item) ? [raiseVersionAction(new Date())] : [])];
  return product === undefined
    ? {
        item: keyText(item),
        violation: `points to product ${id}, which does not exist`,
        repair: [...remove, { check: productKey(id), condition: ABSENT }],
      }
    : {
        item: keyText(item),
        violation: `points to product ${id}, which is named '${product.name}'`,
        repair: [...remove, unchanged(product)],
      };
}
