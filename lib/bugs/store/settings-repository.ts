import * as z from 'zod/mini';
import type { Table } from '../../dynamodb/client.ts';
import { bugSettingsKey, canBeKey, keywordKey, keywordsPartition } from '../../dynamodb/keys.ts';
import { readItem, readItems, readRange } from '../../dynamodb/read.ts';
import { setItem } from '../../dynamodb/write.ts';
import { normalizeName } from '../../text.ts';
import { type CustomField, customField } from '../fields/custom-field.ts';
import { customRow } from '../fields/field.ts';
import { BUILT_IN_FIELDS, type BugFields, bugFields, builtInRegistry } from '../fields/registry.ts';
import { type KeywordItem, keywordItem } from '../schema.ts';
import { DEFAULT_LEGAL_VALUES, type LegalValues, legalValues } from '../values.ts';
import { DEFAULT_WORKFLOW, type Workflow, workflowOf } from '../workflow.ts';

/** Stored settings. */
export const bugSettings = z.extend(legalValues, {
  /** ordered by sort key */
  custom_fields: z._default(z.array(customField), []),
});

/** What a deployment sets for its bugs. */
export interface BugSettings {
  legal: LegalValues;
  workflow: Workflow;
  custom: CustomField[];
  fields: BugFields;
}

const DEFAULTS: BugSettings = {
  legal: DEFAULT_LEGAL_VALUES,
  workflow: DEFAULT_WORKFLOW,
  custom: [],
  fields: builtInRegistry,
};

export type BugSettingsRepository = ReturnType<typeof bugSettingsRepository>;

/** What a deployment sets for its bugs: legal values of fields, and keywords. */
export function bugSettingsRepository(table: Table) {
  return {
    /** The fields of bugs, custom ones included, and the legal values of those that take one of a list. */
    async read(): Promise<BugSettings> {
      const item = await readItem(table, bugSettingsKey, bugSettings);
      if (item === undefined) return DEFAULTS;
      const { custom_fields: custom, ...legal } = item;
      const fields =
        custom.length === 0 ? builtInRegistry : bugFields([...BUILT_IN_FIELDS, ...custom.map(customRow)]);
      const workflow = legal.bug_status === undefined ? DEFAULT_WORKFLOW : workflowOf(legal.bug_status);
      return { legal, custom, fields, workflow };
    },

    /** Sets the legal values and the custom fields; bugs keep values that are not legal any more. */
    put: ({ legal, custom }: Pick<BugSettings, 'legal' | 'custom'>): Promise<void> =>
      setItem(table, bugSettingsKey, { ...legal, custom_fields: custom }),

    /** All keywords, ordered by name. */
    keywords: (): Promise<KeywordItem[]> => readRange(table, { pk: keywordsPartition }, keywordItem),

    /** The keywords with these names, in any case, by normalized name; unknown ones are left out. */
    async keywordsByName(names: string[]): Promise<Map<string, KeywordItem>> {
      const keywords = await readItems(table, names.filter(canBeKey).map(keywordKey), keywordItem);
      return new Map(keywords.map((keyword) => [normalizeName(keyword.name), keyword]));
    },

    putKeyword: (keyword: KeywordItem): Promise<void> => setItem(table, keywordKey(keyword.name), keyword),
  };
}
