import { BUILT_IN_FIELDS } from '../../../lib/bugs/fields/registry.ts';
import { isChoice } from '../../../lib/bugs/values.ts';
import { applyCatalogue } from '../../../lib/catalogue/apply.ts';
import { validateCatalogue } from '../../../lib/catalogue/schema.ts';
import { BugzillaError } from './bugzilla-client.ts';
import type { ImportContext } from './copy-product.ts';
import { fieldsResponse, type SourceField } from './source-schema.ts';

/** The fields with legal values that a deployment sets: the names of the values in a catalogue, and in the source. */
const FIELDS = BUILT_IN_FIELDS.flatMap(({ name, values }) => (isChoice(values) ? [{ values, name }] : []));
const KEYWORDS = 'keywords';

/** Copies the keywords, and the legal values of bug fields. What cannot be copied becomes a problem. */
export async function copyFields({ table, bugzilla, problems }: ImportContext): Promise<void> {
  const refused = (where: string, why: string) =>
    problems.add({ kind: 'parts of products and bugs not copied', where, why });
  const fields = await readFields(bugzilla).catch((error: unknown) => {
    if (!(error instanceof BugzillaError)) throw error;
    refused('legal values and keywords', error.message);
    return [];
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
  ];
  for (const { where, part } of parts) {
    const checked = validateCatalogue(part);
    if ('catalogue' in checked) await applyCatalogue(table, checked.catalogue);
    else refused(where, checked.problems.map(({ message }) => message).join('; '));
  }
}

async function readFields(bugzilla: ImportContext['bugzilla']): Promise<SourceField[]> {
  const names = [...FIELDS.map(({ name }) => name), KEYWORDS];
  const { fields } = await bugzilla.get('field/bug', fieldsResponse, { query: { names } });
  return fields;
}
