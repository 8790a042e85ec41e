import { BUILT_IN_FIELDS } from '../../../lib/bugs/fields/registry.ts';
import { isChoice } from '../../../lib/bugs/values.ts';
import { planCatalogue } from '../../../lib/catalogue/apply.ts';
import { type Problem, validateCatalogue } from '../../../lib/catalogue/schema.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { unlessRefused } from './bugzilla-client.ts';
import type { ImportContext } from './copy-product.ts';
import { DEFINITION_FIELDS, definitionsResponse, fieldsResponse } from './source-schema.ts';

/** The fields with legal values that a deployment sets: the names of the values in a catalogue, and in the source. */
const FIELDS = BUILT_IN_FIELDS.flatMap(({ name, values }) => (isChoice(values) ? [{ values, name }] : []));
const KEYWORDS = 'keywords';

type FieldContext = Pick<ImportContext, 'table' | 'bugzilla' | 'problems'>;

/**
 * Copies the keywords, the legal values of bug fields, and the custom fields. What cannot be copied becomes a problem.
 *
 * @returns the types of the custom fields, by name
 */
export async function copyFields({
  table,
  bugzilla,
  problems,
}: FieldContext): Promise<ReadonlyMap<string, number>> {
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
  const customTypes = new Map(custom.map(({ name, type }) => [name, type]));
  for (const { where, part } of parts) {
    const wrong = await applyPart(table, part);
    if (wrong.length === 0) continue;
    refused(where, wrong.map(({ message }) => message).join('; '));
    if ('bug_fields' in part) for (const { name } of part.bug_fields) customTypes.delete(name);
  }
  return customTypes;
}

/** Applies a part of a catalogue, unless something is wrong with it. */
async function applyPart(table: Table, part: object): Promise<Problem[]> {
  const checked = validateCatalogue(part);
  if ('problems' in checked) return checked.problems;
  const { problems, execute } = await planCatalogue(table, checked.catalogue);
  if (problems.length === 0) await execute();
  return problems;
}

/** The definitions of the custom fields; keywords and fields with values to copy. */
async function readFields(bugzilla: ImportContext['bugzilla']) {
  const query = { include_fields: DEFINITION_FIELDS.join(',') };
  const { fields: defined } = await bugzilla.get('field/bug', definitionsResponse, { query });
  const custom = defined.filter(({ is_custom }) => is_custom);
  const names = [...FIELDS.map(({ name }) => name), KEYWORDS, ...custom.map(({ name }) => name)];
  const { fields } = await bugzilla.get('field/bug', fieldsResponse, { query: { names } });
  return { custom, fields };
}
