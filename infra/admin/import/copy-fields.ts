import { BUILT_IN_FIELDS } from '../../../lib/bugs/fields/registry.ts';
import { isChoice } from '../../../lib/bugs/values.ts';
import { type Bugzilla, unlessRefused } from './bugzilla-client.ts';
import type { WithSettings } from './settings.ts';
import { DEFINITION_FIELDS, definitionsResponse, fieldsResponse } from './source-schema.ts';

/** The fields with legal values that a deployment sets: the names of the values in a catalogue, and in the source. */
const FIELDS = BUILT_IN_FIELDS.flatMap(({ name, values }) => (isChoice(values) ? [{ values, name }] : []));
const KEYWORDS = 'keywords';

/** Adds the keywords, the legal values of bug fields, and the custom fields to the settings. */
export async function copyFields({ settings, problems }: WithSettings, bugzilla: Bugzilla): Promise<void> {
  const { custom, fields } = await unlessRefused(readFields(bugzilla), ({ message: why }) => {
    const where = 'custom fields, legal values and keywords';
    problems.add({ kind: 'parts of products and bugs not copied', where, why });
    return { custom: [], fields: [] };
  });
  const valuesOf = (name: string) =>
    (fields.find((field) => field.name === name)?.values ?? []).filter((value) => value.name !== '');
  for (const { values, name } of FIELDS) {
    const names = valuesOf(name).map((value) => value.name);
    if (names.length > 0) settings.field_values[values] = names;
  }
  settings.keywords = valuesOf(KEYWORDS).map(({ name, description }) => ({ name, description }));
  settings.bug_fields = custom.map(({ is_custom: _, visibility_field, ...definition }) => ({
    ...definition,
    visibility_field: visibility_field === '' ? null : visibility_field,
    values: valuesOf(definition.name).map(({ name, sort_key }) => ({ name, sort_key })),
  }));
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
