import { isDeepStrictEqual } from 'node:util';
import type { Table } from '../../../lib/dynamodb/client.ts';
import {
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
 * A product's name leads to it, and the catalogue says of it what it says itself; names and catalogue entries are of
 * products that are there, and have the name.
 */
export function productPointersCheck(table: Table): Check {
  return {
    async next(items) {
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

const still = ({ id, revision }: ProductItem): Action => ({
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
    const wrong = `product ${product.id} has this name, and it does not lead there`;
    return [{ item, wrong, repair: [{ put, condition: ABSENT }, still(product)] }];
  }
  const wrong = `it leads to product ${found.product_id} as '${found.name}'; product ${product.id} is named '${product.name}'`;
  if (found.product_id !== product.id) return [{ item, wrong }];
  const values = { ':id': product.id };
  return [{ item, wrong, repair: [{ put, condition: 'product_id = :id', values }, still(product)] }];
}

async function entryFindings(table: Table, products: ProductItem[]): Promise<Finding[]> {
  const keys = products.map(({ id }) => productIndexKey(id));
  const entries = await readBy(table, keys, productIndexItem);
  return products.flatMap((product): Finding[] => {
    const key = productIndexKey(product.id);
    const [describe, right] = [entries.get(keyText(key)), productIndexEntry(product)];
    if (isDeepStrictEqual(describe, right)) return [];
    const wrong = `it says ${JSON.stringify(describe) ?? 'nothing'}, the product ${JSON.stringify(right)}`;
    const repair: Action[] = [{ put: { ...key, ...right } }, raiseVersionAction(new Date()), still(product)];
    return [{ item: keyText(key), wrong, lasting: `it differs in ${differing(describe, right)}`, repair }];
  });
}

/** A product that is renamed again and again differs each time in its name; only what does not is wrong for long. */
function differing(describe: ProductIndexEntry | undefined, right: ProductIndexEntry): string {
  if (describe === undefined) return 'everything';
  if (describe.name !== right.name) return `the name ${right.name}`;
  return isDeepStrictEqual(describe.group_controls, right.group_controls)
    ? `takes_bugs: ${right.takes_bugs}`
    : 'group_controls';
}

async function strayPointers(table: Table, items: Item[]): Promise<Finding[]> {
  const pointers = items.flatMap((item) => {
    if (item['sk'] === 'PRODUCTNAME') return [{ item, id: productNameItem.parse(item).product_id }];
    return isIndexEntry(item) ? [{ item, id: productIndexItem.parse(item).id }] : [];
  });
  const keys = pointers.map(({ id }) => productKey(id));
  const products = await readBy(table, keys, productItem);
  return pointers.flatMap(({ item, id }): Finding[] => {
    const product = products.get(keyText(productKey(id)));
    const hasName = product !== undefined && `PRODUCTNAME#${normalizeName(product.name)}` === item['pk'];
    const isRight = isIndexEntry(item) ? product !== undefined : hasName;
    return isRight ? [] : [stray(item, id, product)];
  });
}

const isIndexEntry = ({ pk, sk }: Item): boolean =>
  pk === productIndexPartition && sk !== productIndexVersionKey.sk;

function stray(item: Item, id: number, product: ProductItem | undefined): Finding {
  const key = { pk: String(item['pk']), sk: String(item['sk']) };
  const remove: Action[] = [{ remove: key }, ...(isIndexEntry(item) ? [raiseVersionAction(new Date())] : [])];
  return product === undefined
    ? {
        item: keyText(item),
        wrong: `it leads to product ${id}, which is not there`,
        repair: [...remove, { check: productKey(id), condition: ABSENT }],
      }
    : {
        item: keyText(item),
        wrong: `it leads to product ${id}, which is named '${product.name}'`,
        repair: [...remove, still(product)],
      };
}
