import type { Table } from '../dynamodb/client.ts';
import { canBeKey, fieldValuesKey, keywordKey, keywordsPartition } from '../dynamodb/keys.ts';
import { readItem, readItems, readRange } from '../dynamodb/read.ts';
import { putItem } from '../dynamodb/write.ts';
import { normalizeName } from '../text.ts';
import { type KeywordItem, keywordItem } from './schema.ts';
import { DEFAULT_LEGAL_VALUES, type LegalValues, legalValues } from './values.ts';

export type BugSettingsRepository = ReturnType<typeof bugSettingsRepository>;

/** What a deployment sets for its bugs: legal values of fields, and keywords. */
export function bugSettingsRepository(table: Table) {
  return {
    /** The legal values of the fields that take one of a list. */
    async legalValues(): Promise<LegalValues> {
      return (await readItem(table, fieldValuesKey, legalValues)) ?? DEFAULT_LEGAL_VALUES;
    },

    /** Sets the legal values; bugs keep values that are not legal any more. */
    putLegalValues: (values: LegalValues): Promise<void> => putItem(table, { ...fieldValuesKey, ...values }),

    /** All keywords, ordered by name. */
    keywords: (): Promise<KeywordItem[]> => readRange(table, { pk: keywordsPartition }, keywordItem),

    /** The keywords with these names, in any case, by normalized name; unknown ones are left out. */
    async keywordsByName(names: string[]): Promise<Map<string, KeywordItem>> {
      const keywords = await readItems(table, names.filter(canBeKey).map(keywordKey), keywordItem);
      return new Map(keywords.map((keyword) => [normalizeName(keyword.name), keyword]));
    },

    putKeyword: (keyword: KeywordItem): Promise<void> =>
      putItem(table, { ...keywordKey(keyword.name), ...keyword }),
  };
}
