import { normalizeName } from '../base/text.ts';
import type { Table } from '../table/client.ts';
import { advanceCounter, allocateIds } from '../table/counters.ts';
import { classificationKey } from '../table/keys.ts';
import { asRead, deleteItem, setItem } from '../table/write.ts';
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

  /** Removes a classification. */
  remove: (name: string): Promise<void> => deleteItem(table, classificationKey(name)),

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
