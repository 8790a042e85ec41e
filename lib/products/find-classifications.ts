import { portions } from '../base/collections.ts';
import type { Named } from '../base/names.ts';
import { compareNames, normalizeName } from '../base/text.ts';
import { errors } from '../errors.ts';
import type { Caller } from '../people/caller.ts';
import { isOfType } from './permissions.ts';
import type { ProductRepository } from './repository.ts';
import { type ClassificationItem, type ProductItem, productIndexEntry } from './schema.ts';
import { UNCLASSIFIED, UNCLASSIFIED_ID } from './validation.ts';

/** A classification with its products, as a caller sees them. */
export interface Classification extends ClassificationItem {
  products: Pick<ProductItem, 'id' | 'name' | 'description'>[];
}

/** The limit of BatchGetItem. */
const BATCH = { max: 100 };

/**
 * Classifications with the products that the caller may select, ordered by name, in the order of the request. Those in
 * which the caller may select no product are left out. Reads every product.
 *
 * @param named ids and names
 */
export async function findClassifications(
  products: ProductRepository,
  named: readonly Named[],
  caller: Caller,
): Promise<Classification[]> {
  const selectable = new Map<string, Classification['products']>();
  const names = new Set([UNCLASSIFIED]);
  for await (const page of products.index()) {
    for (const batch of portions(page, BATCH)) {
      for (const product of await products.products(batch.map(({ id }) => id))) {
        const { id, name, description, classification } = product;
        names.add(classification);
        if (!isOfType(productIndexEntry(product), 'selectable', caller)) continue;
        const list = selectable.get(normalizeName(classification)) ?? [];
        selectable.set(normalizeName(classification), [...list, { id, name, description }]);
      }
    }
  }
  const known = await Promise.all([...names].map((name) => classificationNamed(products, name)));
  const found: ClassificationItem[] = [];
  for (const { given, byId } of named) {
    const classification = byId
      ? known.find((one) => one?.id === Number(given))
      : await classificationNamed(products, given.trim());
    if (classification === undefined) throw errors.classificationUnknown(given);
    found.push(classification);
  }
  const distinct = [...new Map(found.map((one) => [normalizeName(one.name), one])).entries()];
  return distinct.flatMap(([name, classification]) => {
    const shown = selectable.get(name);
    return shown === undefined
      ? []
      : [{ ...classification, products: shown.toSorted((a, b) => compareNames(a.name, b.name)) }];
  });
}

/** `Unclassified` always exists. */
export async function classificationNamed(
  products: ProductRepository,
  name: string,
): Promise<ClassificationItem | undefined> {
  const stored = await products.classificationItem(name);
  if (stored !== undefined || normalizeName(name) !== normalizeName(UNCLASSIFIED)) return stored;
  return { id: UNCLASSIFIED_ID, name: UNCLASSIFIED, description: '' };
}
