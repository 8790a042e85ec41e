import { isDeepStrictEqual } from 'node:util';
import type { Table } from '../table/client.ts';
import { productIndexKey, productIndexRange, productIndexVersionKey } from '../table/keys.ts';
import { isSettled, type RangeVersion, raiseVersion, rangeVersion } from '../table/range-version.ts';
import { readItem, readPages } from '../table/read.ts';
import type { Action } from '../table/write.ts';
import { type ProductIndexEntry, type ProductItem, productIndexEntry, productIndexItem } from './schema.ts';

/**
 * The transaction actions by which the product index follows changes of products: the entries that change, and the
 * version of the index.
 *
 * @param changes before undefined: it is new
 */
export function productIndexActions(
  changes: readonly { before: ProductItem | undefined; after: ProductItem }[],
  now: Date,
): Action[] {
  const entries = changes.flatMap(({ before, after }): Action[] => {
    const entry = productIndexEntry(after);
    const isUnchanged = before !== undefined && isDeepStrictEqual(productIndexEntry(before), entry);
    return isUnchanged ? [] : [{ put: { ...productIndexKey(after.id), ...entry } }];
  });
  return entries.length === 0 ? [] : [...entries, raiseVersionAction(now)];
}

/** The transaction action that makes every process read the product index again. */
export const raiseVersionAction = (now: Date): Action => raiseVersion(productIndexVersionKey, now);

/** A product as it was read, by its revision. */
export type ReadProduct = Pick<ProductItem, 'id' | 'revision'>;

/**
 * The transaction action that fails when a product has changed since it was read: on its entry in the index, which is small
 * and changes with each revision. Entries of early versions have no revision until the product changes.
 */
export const unchangedProduct = ({ id, revision }: ReadProduct): Action => ({
  check: productIndexKey(id),
  condition: 'revision = :revision OR (attribute_exists(pk) AND attribute_not_exists(revision))',
  values: { ':revision': revision },
});

/** Bounds the memory of a process: entries take about 200 bytes. */
const MAX_CACHED_ENTRIES = 50_000;

/**
 * The product index, cached in memory. A read of its version decides whether the cached entries are current, so they
 * are never stale.
 */
export function openProductIndex(table: Table, now: () => Date) {
  let cached: { version: number; entries: ProductIndexEntry[] } | undefined;

  const readVersion = () => readItem(table, productIndexVersionKey, rangeVersion);

  /** Caches entries that were read between two reads of the same version. */
  async function cache(before: RangeVersion | undefined, entries: ProductIndexEntry[]): Promise<void> {
    if (before === undefined || !isSettled(before, now()) || entries.length > MAX_CACHED_ENTRIES) return;
    const after = await readVersion();
    if (after?.version === before.version) cached = { version: before.version, entries };
  }

  return {
    /** All entries, ordered by product id, page by page (at most 1 MB each). */
    async *pages(): AsyncGenerator<ProductIndexEntry[]> {
      const version = await readVersion();
      if (version !== undefined && version.version === cached?.version) {
        yield cached.entries;
        return;
      }
      const entries: ProductIndexEntry[] = [];
      for await (const page of readPages(table, productIndexRange, productIndexItem)) {
        if (entries.length <= MAX_CACHED_ENTRIES) entries.push(...page);
        yield page;
      }
      await cache(version, entries);
    },
  };
}
