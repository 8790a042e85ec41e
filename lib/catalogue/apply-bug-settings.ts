import { isDeepStrictEqual } from 'node:util';
import { keywordItem } from '../bugs/schema.ts';
import { bugSettingsRepository } from '../bugs/settings-repository.ts';
import { legalValues } from '../bugs/values.ts';
import type { Table } from '../dynamodb/client.ts';
import { normalizeName } from '../text.ts';
import { DEFAULTS, mergeFields } from './defaults.ts';
import type { Catalogue } from './schema.ts';

/** Sets the legal values of bug fields that a catalogue has, and adds or changes keywords. */
export async function applyBugSettings(table: Table, { field_values, keywords }: Catalogue): Promise<void> {
  const settings = bugSettingsRepository(table);
  const existing = await settings.legalValues();
  const desired = legalValues.parse({ ...existing, ...field_values });
  if (!isDeepStrictEqual(existing, desired)) await settings.putLegalValues(desired);
  const known = await settings.keywordsByName(keywords.map(({ name }) => name));
  for (const { name, description } of keywords) {
    const existing = known.get(normalizeName(name));
    const keyword = keywordItem.parse(mergeFields(DEFAULTS.keyword, existing, { name, description }));
    if (!isDeepStrictEqual(existing, keyword)) await settings.putKeyword(keyword);
  }
}
