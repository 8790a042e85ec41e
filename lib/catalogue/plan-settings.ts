import { keywordItem } from '../bugs/schema.ts';
import { bugSettingsRepository } from '../bugs/settings-repository.ts';
import { legalValues } from '../bugs/values.ts';
import { bulkProductRepository } from '../products/bulk-repository.ts';
import { productRepository } from '../products/repository.ts';
import { classificationItem } from '../products/schema.ts';
import { normalizeName } from '../text.ts';
import { DEFAULTS, mergeFields } from './defaults.ts';
import { type Plan, type PlanContext, putChanged, referencesIn, unknownNames } from './plan.ts';

/** Adds and changes classifications. */
export function planClassifications({ table, catalogue, counter }: PlanContext): Plan {
  const { classificationItem: read } = productRepository(table);
  const { putClassification } = bulkProductRepository(table);
  return {
    problems: [],
    async execute() {
      for (const given of catalogue.classifications) {
        const existing = await read(given.name);
        const desired = classificationItem.parse(mergeFields(DEFAULTS.classification, existing, given));
        counter.count('classifications', await putChanged(existing, desired, putClassification));
      }
    },
  };
}

/** Sets the legal values of bug fields that a catalogue has, and adds or changes keywords. */
export async function planBugSettings({ table, catalogue }: PlanContext): Promise<Plan> {
  const { field_values, keywords, bugs } = catalogue;
  const settings = bugSettingsRepository(table);
  const references = bugs.flatMap((bug, b) => referencesIn(bug.keywords, 'bugs', b, 'keywords'));
  const names = keywords.map(({ name }) => name);
  const known = await settings.keywordsByName([...names, ...references.map(({ name }) => name)]);
  return {
    problems: unknownNames('keyword', references, [...names, ...known.keys()]),
    async execute() {
      if (Object.keys(field_values).length > 0) {
        const existing = await settings.legalValues();
        const desired = legalValues.parse({ ...existing, ...field_values });
        await putChanged(existing, desired, settings.putLegalValues);
      }
      for (const { name, description } of keywords) {
        const existing = known.get(normalizeName(name));
        const keyword = keywordItem.parse(mergeFields(DEFAULTS.keyword, existing, { name, description }));
        await putChanged(existing, keyword, settings.putKeyword);
      }
    },
  };
}
