import type { Table } from '../dynamodb/client.ts';
import { advanceCounter, allocateIds } from '../dynamodb/counters.ts';
import { classificationKey } from '../dynamodb/keys.ts';
import { asRead, setItem } from '../dynamodb/write.ts';
import { normalizeName } from '../text.ts';
import type { ClassificationItem } from './schema.ts';
import { UNCLASSIFIED, UNCLASSIFIED_ID } from './validation.ts';

/** Writes classifications, for the catalogue: no request does. */
export const classificationRepository = (table: Table) => ({
  /** An id for the classification with a name. */
  async allocateId(name: string): Promise<number> {
    if (normalizeName(name) === normalizeName(UNCLASSIFIED)) return UNCLASSIFIED_ID;
    await advanceCounter(table, 'classification', UNCLASSIFIED_ID);
    return allocateIds(table, 'classification');
  },

  /**
   * Writes a classification, on the condition that it is as it was read.
   *
   * @param read undefined: it is new
   * @throws ConditionFailed
   */
  put: (read: ClassificationItem | undefined, classification: ClassificationItem): Promise<void> =>
    setItem(
      table,
      classificationKey(classification.name),
      classification,
      // Items that were stored without an id are read with 0.
      asRead({ name: read?.name, description: read?.description, id: read?.id || undefined }),
    ),
});
