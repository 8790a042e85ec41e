import { isDeepStrictEqual } from 'node:util';
import type { Table } from '../dynamodb/client.ts';
import { classificationKey, type Key, type ProductPart, productKey } from '../dynamodb/keys.ts';
import type { Item } from '../dynamodb/read.ts';
import { ABSENT, batchWrite, putItem, retryConflicts, transactWrite } from '../dynamodb/write.ts';
import { productPartItem, putIndexAction, putNameAction } from './items.ts';
import type { ClassificationItem, ProductWithParts } from './schema.ts';

/** Writes whole products and classifications: for the catalogue. */
export function bulkProductRepository(table: Table) {
  return {
    /**
     * Writes a whole product with its parts. Only what differs is written, the parts first, where
     * no request sees them before the product exists.
     *
     * @param existing as it was read; undefined: a new product
     * @returns whether there was anything to write
     * @throws ConditionFailed when the product was changed, or the name taken, meanwhile
     */
    async save(existing: ProductWithParts | undefined, wanted: ProductWithParts): Promise<boolean> {
      const parts = changedParts(existing, wanted);
      const isChanged = !isDeepStrictEqual(existing?.product, wanted.product);
      await batchWrite(table, parts);
      if (!isChanged) return parts.length > 0;
      const revision = existing?.product.revision;
      const product = { ...wanted.product, revision: (revision ?? 0) + 1 };
      const condition =
        revision === undefined
          ? { condition: ABSENT }
          : { condition: 'revision = :read', values: { ':read': revision } };
      await retryConflicts(table, () =>
        transactWrite(table, [
          { put: { ...productKey(product.id), ...product }, ...condition },
          putNameAction(product),
          putIndexAction(product),
        ]),
      );
      return true;
    },

    /** Writes a classification. */
    putClassification: (classification: ClassificationItem): Promise<void> =>
      putItem(table, { ...classificationKey(classification.name), ...classification }),
  };
}

function changedParts(existing: ProductWithParts | undefined, wanted: ProductWithParts): (Key & Item)[] {
  const changed = (part: ProductPart, parts: { id: number }[], before: { id: number }[] = []) =>
    parts
      .filter((one) => !before.some((other) => isDeepStrictEqual(one, other)))
      .map((one) => productPartItem(wanted.product.id, part, one));
  return [
    ...changed('COMPONENT', wanted.components, existing?.components),
    ...changed('VERSION', wanted.versions, existing?.versions),
    ...changed('MILESTONE', wanted.milestones, existing?.milestones),
    ...changed('FLAGTYPE', wanted.flagTypes, existing?.flagTypes),
  ];
}
