import { BUILT_IN_FIELDS } from '../../../lib/bugs/fields/registry.ts';
import { isChoice } from '../../../lib/bugs/values.ts';
import { validateCatalogue } from '../../../lib/catalogue/schema.ts';
import { type Bugzilla, unlessRefused } from './bugzilla-client.ts';
import type { WithSettings } from './settings.ts';
import { DEFINITION_FIELDS, definitionsResponse, fieldsResponse } from './source-schema.ts';

/** The fields with legal values that a deployment sets: the names of the values in a catalogue, and in the source. */
const FIELDS = BUILT_IN_FIELDS.flatMap(({ name, values }) => (isChoice(values) ? [{ values, name }] : []));
const KEYWORDS = 'keywords';

/**
 * Adds the keywords, the legal values of bug fields, and the custom fields to the settings. What is invalid becomes a
 * problem.
 */
export async function copyFields({ settings, problems }: WithSettings, bugzilla: Bugzilla): Promise<void> {
  const refused = (where: string, why: string) =>
    problems.add({ kind: 'parts of products and bugs not copied', where, why });
  const { custom, fields } = await unlessRefused(readFields(bugzilla), ({ message }) => {
    refused('custom fields, legal values and keywords', message);
    return { custom: [], fields: [] };
  });
  const valuesOf = (name: string) =>
    (fields.find((field) => field.name === name)?.values ?? []).filter((value) => value.name !== '');
  const field_values = Object.fromEntries(
    FIELDS.map(({ values, name }) => [values, valuesOf(name).map((value) => value.name)]),
  );
  const parts = [
    ...Object.entries(field_values)
      .filter(([, names]) => names.length > 0)
      .map(([name, names]) => ({ where: `values of ${name}`, part: { field_values: { [name]: names } } })),
    ...valuesOf(KEYWORDS).map(({ name, description }) => ({
      where: `keyword '${name}'`,
      part: { keywords: [{ name, description }] },
    })),
    ...custom.map(({ is_custom: _, visibility_field, ...definition }) => ({
      where: `field ${definition.name}`,
      part: {
        bug_fields: [
          {
            ...definition,
            visibility_field: visibility_field === '' ? null : visibility_field,
            values: valuesOf(definition.name).map(({ name, sort_key }) => ({ name, sort_key })),
          },
        ],
      },
    })),
  ];
  for (const { where, part } of parts) {
    const checked = validateCatalogue(part);
    if ('problems' in checked) {
      refused(where, checked.problems.map(({ message }) => message).join('; '));
      continue;
    }
    const { field_values, keywords, bug_fields } = checked.catalogue;
    Object.assign(settings.field_values, field_values);
    settings.keywords.push(...keywords);
    settings.bug_fields.push(...bug_fields);
  }
}

/** The definitions of the custom fields; keywords and fields with values to copy. */
async function readFields(bugzilla: Bugzilla) {
  const query = { include_fields: DEFINITION_FIELDS.join(',') };
  const { fields: defined } = await bugzilla.get('field/bug', definitionsResponse, { query });
  const custom = defined.filter(({ is_custom }) => is_custom);
  const names = [...FIELDS.map(({ name }) => name), KEYWORDS, ...custom.map(({ name }) => name)];
  const { fields } = await bugzilla.get('field/bug', fieldsResponse, { query: { names } });
  return { custom, fields };
}
