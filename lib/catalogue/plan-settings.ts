import { isDeepStrictEqual } from 'node:util';
import { type CustomField, customField, customKind, FIRST_CUSTOM_ID } from '../bugs/fields/custom-field.ts';
import type { CustomKind } from '../bugs/fields/kinds.ts';
import { keywordItem } from '../bugs/schema.ts';
import { bugsOf } from '../bugs/search-index/view.ts';
import { bugSettingsRepository } from '../bugs/store/settings-repository.ts';
import { legalValues } from '../bugs/values.ts';
import {
  DEFAULT_STATUSES,
  DEFAULT_WORKFLOW,
  type StatusRow,
  type Workflow,
  workflowOf,
} from '../bugs/workflow.ts';
import { ADOPTION_MS, refuseOlder } from '../dynamodb/change-format.ts';
import { classificationRepository } from '../products/classification-repository.ts';
import { productRepository } from '../products/repository.ts';
import { classificationItem } from '../products/schema.ts';
import { normalizeName } from '../text.ts';
import { DEFAULTS, mergeFields } from './defaults.ts';
import { type Names, namesOf, type Plan, type PlanContext, putChanged } from './plan.ts';
import type { Catalogue, Problem } from './schema.ts';
import { workflowProblems } from './workflow-problems.ts';

/** Adds and changes classifications. */
export function planClassifications({ table, catalogue, counter }: PlanContext): Plan {
  const { classificationItem: read } = productRepository(table);
  const classifications = classificationRepository(table);
  return {
    problems: [],
    async execute() {
      for (const given of catalogue.classifications) {
        const existing = await read(given.name);
        const id = existing?.id || given.id || (await classifications.allocateId(given.name));
        const fields = mergeFields(DEFAULTS.classification, existing, given);
        const desired = classificationItem.parse({ ...fields, id });
        counter.count('classifications', await putChanged(existing, desired, classifications.put));
      }
    },
  };
}

/** The kind of the custom field with a name; undefined: neither the catalogue nor the table has one. */
export type CustomKindOf = (name: string) => CustomKind | undefined;

/** The first version that knows other statuses than Bugzilla's default ones: earlier ones show and write bugs by these. */
const WORKFLOW_VERSION = '1.1.1';

/** What bugs of a catalogue may have. */
export interface SettingsNames {
  keywordNames: Names;
  customKindOf: CustomKindOf;
  workflow: Workflow;
}

/** Sets the legal values of bug fields that a catalogue has, and adds or changes custom fields and keywords. */
export async function planBugSettings({
  table,
  catalogue,
  digest,
  index,
  pause,
}: PlanContext): Promise<Plan & SettingsNames> {
  const { field_values, bug_fields, keywords } = catalogue;
  const settings = bugSettingsRepository(table);
  const names = keywords.map(({ name }) => name);
  const [known, stored] = await Promise.all([
    settings.keywordsByName([...names, ...digest.keywords]),
    settings.read(),
  ]);
  const statuses = storedStatuses(field_values.bug_status, stored.legal.bug_status);
  const used = field_values.bug_status === undefined ? new Set<string>() : await usedStatuses(index);
  const types = new Map([...bug_fields, ...stored.custom].map(({ name, type }) => [name, type]));
  return {
    problems: [
      ...fieldProblems(stored.custom, bug_fields),
      ...(field_values.bug_status === undefined ? [] : workflowProblems(field_values.bug_status, used)),
    ],
    workflow: statuses === undefined ? DEFAULT_WORKFLOW : workflowOf(statuses),
    keywordNames: namesOf([...names, ...known.keys()]),
    customKindOf(name) {
      const type = types.get(name);
      return type === undefined ? undefined : customKind(type);
    },
    async execute() {
      if (Object.keys(field_values).length + bug_fields.length > 0) {
        // Again: another run may have written them since.
        const { legal, custom } = await settings.read();
        const desired = {
          legal: legalValues.parse({ ...legal, ...field_values, bug_status: statuses }),
          custom: mergedCustomFields(custom, bug_fields),
        };
        if (statuses !== undefined && legal.bug_status === undefined) {
          await refuseOlder(table, WORKFLOW_VERSION);
          if (used.size > 0) await pause(ADOPTION_MS);
        }
        await putChanged({ legal, custom }, desired, settings.put);
      }
      for (const { name, description } of keywords) {
        const existing = known.get(normalizeName(name));
        const keyword = keywordItem.parse(mergeFields(DEFAULTS.keyword, existing, { name, description }));
        await putChanged(existing, keyword, settings.putKeyword);
      }
    },
  };
}

/** The statuses to store; undefined: Bugzilla's default ones, of which nothing is stored. */
const storedStatuses = (
  given: readonly StatusRow[] | undefined,
  stored: readonly StatusRow[] | undefined,
): readonly StatusRow[] | undefined =>
  stored === undefined && isDeepStrictEqual(given?.map(byName), DEFAULT_STATUSES.map(byName))
    ? undefined
    : (given ?? stored);

/** A status with what follows it in an order of its own, to compare it. */
const byName = (status: StatusRow): StatusRow => ({
  ...status,
  can_change_to: status.can_change_to.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
});

/** The statuses that bugs of the table have. */
const usedStatuses = async (index: PlanContext['index']): Promise<Set<string>> =>
  new Set([...bugsOf(await index.read(() => true))].map(({ value }) => String(value('status'))));

/**
 * Conflicts of custom fields with the table: another type, which stored values have, another id, or an id that another
 * field has.
 */
const fieldProblems = (existing: readonly CustomField[], given: Catalogue['bug_fields']): Problem[] =>
  given.flatMap((field, index) =>
    existing.flatMap(({ id, name, type }): Problem[] => {
      const problem = (field: string, message: string) => [{ path: ['bug_fields', index, field], message }];
      if (name === field.name && type !== field.type) {
        return problem('type', `the field '${name}' has the type ${type}, not ${field.type}`);
      }
      if (field.id === undefined || (name === field.name) === (id === field.id)) return [];
      return problem('id', `the field '${name}' has the id ${id}`);
    }),
  );

/** The custom fields of the table with those of a catalogue, ordered; what the catalogue does not give stays. */
function mergedCustomFields(existing: readonly CustomField[], given: Catalogue['bug_fields']): CustomField[] {
  const byName = new Map(existing.map((field) => [field.name, field]));
  const ids = [...existing, ...given].map(({ id = 0 }) => id);
  let next = Math.max(FIRST_CUSTOM_ID - 1, ...ids) + 1;
  for (const field of given) {
    const known = byName.get(field.name);
    const defaults = { ...DEFAULTS.bugField, id: known?.id ?? field.id ?? next++, display_name: field.name };
    const { values, ...merged } = customField.parse(mergeFields(defaults, known, field));
    byName.set(field.name, { ...merged, values: values.toSorted((a, b) => a.sort_key - b.sort_key) });
  }
  return [...byName.values()].sort((a, b) => a.sort_key - b.sort_key || a.id - b.id);
}
