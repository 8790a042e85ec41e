import { randomUUID } from 'node:crypto';
import { bytes, normalizeName } from '../base/text.ts';
import type { Table } from '../table/client.ts';
import { type Key, keyText, productKey, productNameKey, productPartsKey } from '../table/keys.ts';
import { type Item, readItems, withKey } from '../table/read.ts';
import { ABSENT, type Action, differingAttributes, setAction } from '../table/write.ts';
import {
  type ProductItem,
  type ProductParts,
  type ProductWithParts,
  productItem,
  productParts,
  productPartsItem,
} from './schema.ts';

/** Size of the parts in the item of the product, which is kept small because updates write it completely. */
export const MAX_OWN_PARTS_BYTES = 64_000;
/** Parts in each further item: DynamoDB allows 400 KB. */
const MAX_FURTHER_BYTES = 256_000;

/** The items of a product: its own, and the further ones for the parts that do not fit into it. */
export interface ProductDocument {
  product: ProductItem;
  furtherItems: Item[];
}

/**
 * The items of a product with its parts. The parts are stored as JSON text, which takes a fraction of the time of
 * DynamoDB's own format to read. Further items have a random token in their keys, so that they are written beside those
 * that are being read, or written by others.
 *
 * @param fields of the product; `revision` is the one to be written
 */
export function toDocument(
  fields: Omit<ProductItem, 'parts' | 'further_parts'>,
  parts: ProductParts,
): ProductDocument {
  const [own = emptyParts(), ...further] = chunks(productParts.parse(parts));
  const token = further.length === 0 ? '' : randomUUID();
  return {
    product: {
      ...fields,
      parts: JSON.stringify(own),
      further_parts: { token, items: further.length },
    },
    furtherItems: further.map((chunk, index) => ({
      ...productPartsKey(fields.id, token, index),
      parts: JSON.stringify(chunk),
    })),
  };
}

/** Splits parts into portions that fit one item each: the first into that of the product. */
function chunks(parts: ProductParts): ProductParts[] {
  const result: ProductParts[] = [];
  let current = emptyParts();
  let size = 0;
  for (const [part, add] of entries(parts)) {
    const more = bytes(JSON.stringify(part)) + 1;
    if (size + more > (result.length === 0 ? MAX_OWN_PARTS_BYTES : MAX_FURTHER_BYTES)) {
      result.push(current);
      current = emptyParts();
      size = 0;
    }
    add(current);
    size += more;
  }
  return [...result, current];
}

const emptyParts = (): ProductParts => ({ components: [], flagTypes: [], milestones: [], versions: [] });

/** Each part, with a function that adds it to other parts. */
function* entries({ components, flagTypes, milestones, versions }: ProductParts) {
  for (const one of components) yield [one, (to: ProductParts) => to.components.push(one)] as const;
  for (const one of flagTypes) yield [one, (to: ProductParts) => to.flagTypes.push(one)] as const;
  for (const one of milestones) yield [one, (to: ProductParts) => to.milestones.push(one)] as const;
  for (const one of versions) yield [one, (to: ProductParts) => to.versions.push(one)] as const;
}

/** The keys of the further items of a product. */
export const furtherKeys = ({
  id,
  further_parts: { token, items },
}: Pick<ProductItem, 'id' | 'further_parts'>): Key[] =>
  Array.from({ length: items }, (_, index) => productPartsKey(id, token, index));

/** The parts in JSON texts. */
export function parseParts(texts: readonly string[]): ProductParts {
  const [first, ...others] = texts.map((text) => productParts.parse(JSON.parse(text)));
  const parts = first ?? emptyParts();
  for (const { components, flagTypes, milestones, versions } of others) {
    parts.components.push(...components);
    parts.flagTypes.push(...flagTypes);
    parts.milestones.push(...milestones);
    parts.versions.push(...versions);
  }
  return parts;
}

/** An item with parts of a product is lost. */
export class PartsMissing extends Error {
  override name = 'PartsMissing';
}

/**
 * Adds the parts to products that were read. Only products of over 64 KB take a further read; a product whose parts
 * were replaced meanwhile is read again.
 *
 * @param earlier the same products as they were read before
 * @throws PartsMissing when an item with parts is lost
 */
export async function withParts(
  table: Table,
  products: ProductItem[],
  earlier: readonly ProductItem[] = [],
): Promise<ProductWithParts[]> {
  const items = await readItems(table, products.flatMap(furtherKeys), withKey(productPartsItem));
  const further = new Map(items.map((item) => [keyText(item), item.parts]));
  const outdated: ProductItem[] = [];
  const complete = products.flatMap((product): ProductWithParts[] => {
    const found = furtherKeys(product).map((key) => further.get(keyText(key)));
    if (found.includes(undefined)) outdated.push(product);
    if (found.includes(undefined)) return [];
    return [{ product, ...parseParts([product.parts, ...found.filter((text) => text !== undefined)]) }];
  });
  if (outdated.length === 0) return complete;
  const lost = outdated.find((product) => earlier.some((one) => hasSameParts(one, product)));
  if (lost !== undefined) throw new PartsMissing(`An item with parts of product ${lost.id} is missing`);
  const keys = outdated.map(({ id }) => productKey(id));
  const again = await readItems(table, keys, productItem);
  return [...complete, ...(await withParts(table, again, outdated))];
}

const hasSameParts = (a: ProductItem, b: ProductItem): boolean =>
  a.id === b.id && a.further_parts.token === b.further_parts.token;

/**
 * The transaction actions that write the item of a product, on the condition that it is as it was read, and before it its
 * name pointer, where the name changes: its condition fails when another product has the name.
 */
export function productActions({
  existing: before,
  product: after,
}: {
  existing: ProductItem | undefined;
  product: ProductItem;
}): Action[] {
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
