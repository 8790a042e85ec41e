import type * as z from 'zod';
import { BUILT_IN_FIELDS } from '../../lib/bugs/fields/registry.ts';
import { isChoice } from '../../lib/bugs/values.ts';
import type { StatusRow } from '../../lib/bugs/workflow.ts';
import { type Bugzilla, unlessRefused } from './bugzilla-client.ts';
import type { WithSettings } from './settings.ts';
import { DEFINITION_FIELDS, definitionsResponse, fieldsResponse } from './source-schema.ts';

/** The fields with legal values that a deployment sets: the names of the values in a catalogue, and in the source. */
const FIELDS = BUILT_IN_FIELDS.flatMap(({ name, values }) => (isChoice(values) ? [{ values, name }] : []));
const KEYWORDS = 'keywords';
const STATUSES = 'bug_status';

/** Adds the keywords, the legal values of bug fields, and the custom fields to the settings. */
export async function copyFields({ settings, problems }: WithSettings, bugzilla: Bugzilla): Promise<void> {
  const { custom, fields } = await unlessRefused(readFields(bugzilla), ({ message: why }) => {
    const where = 'custom fields, legal values and keywords';
    problems.add({ kind: 'parts of products and bugs not copied', where, why });
    return { custom: [], fields: [] };
  });
  const valuesOf = (name: string) =>
    (fields.find((field) => field.name === name)?.values ?? []).filter((value) => value.name !== '');
  for (const { name, value_field, values } of fields) {
    const dependent = values.filter(({ visibility_values }) => visibility_values.length > 0).length;
    if (value_field === '' || dependent === 0) continue;
    const why = `whether ${dependent} of its values show depends on ${value_field} in Bugzilla; here all of them do`;
    problems.add({ kind: 'parts of products and bugs not copied', where: `field ${name}`, why });
  }
  for (const { values, name } of FIELDS) {
    const names = valuesOf(name).map((value) => value.name);
    if (names.length > 0) settings.field_values[values] = names;
  }
  const statuses = statusesOf(fields.find(({ name }) => name === STATUSES)?.values ?? []);
  if (statuses !== undefined) settings.field_values[STATUSES] = statuses;
  settings.keywords = valuesOf(KEYWORDS).map(({ name, description }) => ({ name, description }));
  settings.bug_fields = custom.map(({ is_custom: _, visibility_field, ...definition }) => ({
    ...definition,
    visibility_field: visibility_field === '' ? null : visibility_field,
    values: valuesOf(definition.name).map(({ name, sort_key }) => ({ name, sort_key })),
  }));
}

type SourceValue = z.output<typeof fieldsResponse>['fields'][number]['values'][number];

/** The statuses and their transitions, as a catalogue has them; undefined: the source does not tell them. */
function statusesOf(values: readonly SourceValue[]): StatusRow[] | undefined {
  const closed = new Set(values.filter(({ is_open }) => is_open === false).map(({ name }) => name));
  const rows = values.flatMap(({ name, is_open, is_active, can_change_to }): StatusRow[] => {
    const isNew = name === '';
    if ((is_open === undefined && !isNew) || can_change_to === undefined) return [];
    // New bugs are open.
    const next = can_change_to.filter((to) => to.name !== name && !(isNew && closed.has(to.name)));
    return [{ name, is_open: is_open ?? true, is_active, can_change_to: next }];
  });
  return rows.length === values.length && rows.length > 0 ? rows : undefined;
}

/** The definitions of the custom fields; keywords and fields with values to copy. */
async function readFields(bugzilla: Bugzilla) {
  const query = { include_fields: DEFINITION_FIELDS.join(',') };
  const { fields: defined } = await bugzilla.get('field/bug', definitionsResponse, { query });
  const custom = defined.filter(({ is_custom }) => is_custom);
  const names = [...FIELDS.map(({ name }) => name), STATUSES, KEYWORDS, ...custom.map(({ name }) => name)];
  const { fields } = await bugzilla.get('field/bug', fieldsResponse, { query: { names } });
  return { custom, fields };
}
