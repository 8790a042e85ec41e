import { canBeKey } from '../../base/names.ts';
import { normalizeName } from '../../base/text.ts';
import { type AuditNote, auditAction } from '../../people/audit/repository.ts';
import type { Table } from '../../table/client.ts';
import { type IdempotencyRecord, idempotencyActions } from '../../table/idempotency.ts';
import { keywordKey, keywordsPartition } from '../../table/keys.ts';
import { readItems, readRange } from '../../table/read.ts';
import { asRead, setAction, transactWriteRetrying } from '../../table/write.ts';
import { type KeywordItem, keywordItem } from '../schema.ts';

/** What is written with the keyword of a request. */
export interface KeywordSave {
  audit: AuditNote;
  record?: IdempotencyRecord | undefined;
}

export type KeywordRepository = ReturnType<typeof keywordRepository>;

/** How keywords are read. */
export const keywordReads = (table: Table) => ({
  /** All keywords, ordered by name. */
  keywords: (): Promise<KeywordItem[]> => readRange(table, { pk: keywordsPartition }, keywordItem),

  /** The keywords with these names, in any case, by normalized name; unknown ones are left out. */
  async keywordsByName(names: string[]): Promise<Map<string, KeywordItem>> {
    const keywords = await readItems(table, names.filter(canBeKey).map(keywordKey), keywordItem);
    return new Map(keywords.map((keyword) => [normalizeName(keyword.name), keyword]));
  },
});

/** Reads keywords, and writes them for requests; the repository of settings writes those of catalogues. */
export const keywordRepository = (table: Table) => ({
  ...keywordReads(table),

  /**
   * Writes a keyword with its entry of the audit log, on the condition that it is as it was read.
   *
   * @param read undefined: it is new
   * @throws ConditionFailed
   */
  async save(
    read: KeywordItem | undefined,
    keyword: KeywordItem,
    { audit, record }: KeywordSave,
  ): Promise<void> {
    const guard = asRead({ name: read?.name, description: read?.description });
    await transactWriteRetrying(table, [
      setAction(keywordKey(keyword.name), keyword, guard),
      ...idempotencyActions(record, table.now()),
      auditAction(table, audit),
    ]);
  },
});
