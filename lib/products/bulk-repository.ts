import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import type { Table } from '../dynamodb/client.ts';
import { ConditionFailed } from '../dynamodb/errors.ts';
import { classificationKey, productKey } from '../dynamodb/keys.ts';
import { ABSENT, batchWrite, deleteItem, putItem, retryConflicts, transactWrite } from '../dynamodb/write.ts';
import { furtherKeys, toDocument } from './document.ts';
import { putNameAction } from './name-pointer.ts';
import { productIndexActions } from './product-index.ts';
import {
  type ClassificationItem,
  type ProductItem,
  type ProductParts,
  type ProductWithParts,
  productItem,
} from './schema.ts';

/** The fields of a product but for those that follow from its storage. */
export const desiredFields = z.omit(productItem, { revision: true, parts: true, further_parts: true });

/** A product as it should be; the repository adds what follows from its storage. */
export interface DesiredProduct extends ProductParts {
  product: z.infer<typeof desiredFields>;
}

/** Writes products with parts and classifications, for the catalogue. */
export function bulkProductRepository(table: Table) {
  /** Removes further items that no product refers to any more. */
  async function removeParts(product: ProductItem): Promise<void> {
    for (const key of furtherKeys(product)) await deleteItem(table, key);
  }

  return {
    /**
     * Writes a product with its parts. Further items are written first; no request reads them before the product's own
     * item refers to them.
     *
     * @param existing as it was read; undefined: a new product
     * @returns whether there was anything to write
     * @throws ConditionFailed when the product was changed, or the name taken, meanwhile
     */
    async save(existing: ProductWithParts | undefined, desired: DesiredProduct): Promise<boolean> {
      const { product: fields, ...desiredParts } = desired;
      const parts = sorted(desiredParts);
      const read = existing?.product.revision;
      if (
        existing !== undefined &&
        isDeepStrictEqual(withoutStorage(existing), { product: fields, ...parts })
      ) {
        return false;
      }
      const { product, furtherItems } = toDocument({ ...fields, revision: (read ?? 0) + 1 }, parts);
      const unchanged =
        read === undefined
          ? { condition: ABSENT }
          : { condition: 'revision = :read', values: { ':read': read } };
      await batchWrite(table, furtherItems);
      try {
        await retryConflicts(table, () =>
          transactWrite(table, [
            { put: { ...productKey(product.id), ...product }, ...unchanged },
            putNameAction(product),
            ...productIndexActions([{ before: existing?.product, after: product }], new Date()),
          ]),
        );
      } catch (error) {
        if (error instanceof ConditionFailed) await removeParts(product);
        throw error;
      }
      if (existing !== undefined) await removeParts(existing.product);
      return true;
    },

    /** Writes a classification. */
    putClassification: (classification: ClassificationItem): Promise<void> =>
      putItem(table, { ...classificationKey(classification.name), ...classification }),
  };
}

/** Equal products have their parts in the same order. */
function sorted({ components, flagTypes, milestones, versions }: ProductParts): ProductParts {
  const byId = (a: { id: number }, b: { id: number }) => a.id - b.id;
  return {
    components: components.toSorted(byId),
    flagTypes: flagTypes.toSorted(byId),
    milestones: milestones.toSorted(byId),
    versions: versions.toSorted(byId),
  };
}

function withoutStorage({ product, ...parts }: ProductWithParts): DesiredProduct {
  const { revision: _, parts: __, further_parts: ___, ...fields } = product;
  return { product: fields, ...sorted(parts) };
}
