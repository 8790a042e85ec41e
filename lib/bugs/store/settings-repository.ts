import * as z from 'zod/mini';
import { canBeKey } from '../../base/names.ts';
import { normalizeName } from '../../base/text.ts';
import type { Table } from '../../table/client.ts';
import { bugSettingsKey, keywordKey, keywordsPartition } from '../../table/keys.ts';
import { readItem, readItems, readRange } from '../../table/read.ts';
import {
  type Action,
  asRead,
  deleteItem,
  setAction,
  setItem,
  transactWriteRetrying,
} from '../../table/write.ts';
import { customField } from '../fields/custom-field.ts';
import { customRow } from '../fields/field.ts';
import { BUILT_IN_FIELDS, type BugFields, bugFields, builtInRegistry } from '../fields/registry.ts';
import { type KeywordItem, keywordItem } from '../schema.ts';
import { legalValues, type ReadSettings } from '../values.ts';
import { DEFAULT_WORKFLOW, workflowOf } from '../workflow.ts';

/** Stored settings. */
export const bugSettings = z.extend(legalValues, {
  /** ordered by sort key */
  custom_fields: z._default(z.array(customField), []),
});

/** The attributes of the item, also what this version does not know of them. */
const storedSettings = z.record(z.string(), z.unknown());

/** The lists of the settings that a catalogue sets. */
export type SettingsWrite = Partial<z.infer<typeof bugSettings>>;

/**
 * The transaction action that fails when one of these lists has changed since it was read; none: nothing follows from them.
 * The lists themselves are compared: the item has no revision.
 */
export function unchangedSettings(read: readonly ReadSettings[]): Action[] {
  const lists = read.flatMap((one) => one.lists.map((list) => [list, one.stored[list]]));
  return lists.length === 0 ? [] : [{ check: bugSettingsKey, ...asRead(Object.fromEntries(lists)) }];
}

/** What a deployment sets for its bugs. @param stored the attributes of the item as they were read */
function settingsOf(stored: ReadSettings['stored']) {
  const { custom_fields: custom, ...legal } = bugSettings.parse(stored);
  const fields: BugFields =
    custom.length === 0 ? builtInRegistry : bugFields([...BUILT_IN_FIELDS, ...custom.map(customRow)]);
  const workflow = legal.bug_status === undefined ? DEFAULT_WORKFLOW : workflowOf(legal.bug_status);
  return { stored, legal, custom, fields, workflow };
}
export type BugSettings = ReturnType<typeof settingsOf>;

export type BugSettingsRepository = ReturnType<typeof bugSettingsRepository>;

/** What a deployment sets for its bugs: legal values of fields, and keywords. */
export function bugSettingsRepository(table: Table) {
  let known: { text: string; settings: BugSettings } | undefined;
  return {
    /**
     * The fields of bugs, custom ones included, and the legal values of those that take one of a list. What was made of the item is
     * kept while it stays the same.
     */
    async read(): Promise<BugSettings> {
      const stored = (await readItem(table, bugSettingsKey, storedSettings)) ?? {};
      const text = JSON.stringify(stored);
      known = known?.text === text ? known : { text, settings: settingsOf(stored) };
      return known.settings;
    },

    /**
     * Sets lists, on the condition that they are as they were read; the others stay. Bugs keep values that are not legal any more.
     *
     * @throws ConditionFailed
     */
    put: ({ stored }: BugSettings, given: SettingsWrite): Promise<void> =>
      setItem(
        table,
        bugSettingsKey,
        given,
        asRead(Object.fromEntries(Object.keys(given).map((list) => [list, stored[list]]))),
      ),

    /** All keywords, ordered by name. */
    keywords: (): Promise<KeywordItem[]> => readRange(table, { pk: keywordsPartition }, keywordItem),

    /** The keywords with these names, in any case, by normalized name; unknown ones are left out. */
    async keywordsByName(names: string[]): Promise<Map<string, KeywordItem>> {
      const keywords = await readItems(table, names.filter(canBeKey).map(keywordKey), keywordItem);
      return new Map(keywords.map((keyword) => [normalizeName(keyword.name), keyword]));
    },

    /** Removes a keyword. Bugs keep it. */
    removeKeyword: (name: string): Promise<void> => deleteItem(table, keywordKey(name)),

    /**
     * Writes a keyword, on the condition that it is as it was read.
     *
     * @param read undefined: it is new
     * @param others further actions of the transaction
     * @throws ConditionFailed
     */
    putKeyword(read: KeywordItem | undefined, keyword: KeywordItem, others: Action[] = []): Promise<void> {
      const key = keywordKey(keyword.name);
      const guard = asRead({ name: read?.name, description: read?.description });
      if (others.length === 0) return setItem(table, key, keyword, guard);
      return transactWriteRetrying(table, [setAction(key, keyword, guard), ...others]);
    },
  };
}
