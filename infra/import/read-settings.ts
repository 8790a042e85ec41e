import { CUSTOM_KINDS, FIELD_TYPES } from '../../lib/bugs/fields/kinds.ts';
import type { Source } from './read-source.ts';
import { namesOf, type Row } from './row.ts';

/** Fields with legal values: the table of the values, and the name in a catalogue. */
const CHOICES = {
  priority: 'priority',
  bug_severity: 'severity',
  rep_platform: 'platform',
  op_sys: 'op_sys',
  resolution: 'resolution',
} as const;

/** The kind of problems with them. */
export const LEFT_OUT = 'fields, values and keywords left out';
const VALUE = 'id value sortkey isactive visibility_value_id is_open';

/** A custom field, as bugs have its values. */
export type SourceField = Awaited<ReturnType<typeof readSettings>>['customFields'][number];

/** Reads classifications, keywords, legal values, the workflow and custom fields. */
export async function readSettings({ database: { select, columns }, problems }: Source) {
  const defs = await select(
    'fielddefs',
    'id name type custom description sortkey obsolete enter_bug is_mandatory visibility_field_id visibility_value_id value_field_id',
    'ORDER BY id',
  );
  const fieldNames = namesOf(defs);
  const valuesOf = async (table: string): Promise<Row[]> => {
    const rows = await select(table, VALUE, 'ORDER BY id');
    return rows.sort(
      (a, b) => a.number('sortkey') - b.number('sortkey') || (a.text('value') < b.text('value') ? -1 : 1),
    );
  };
  const named = new Map<string, Map<number, string>>();
  const nameOf = async (table: string, id: number): Promise<string | undefined> => {
    const known = named.get(table) ?? namesOf(await valuesOf(table), 'value');
    named.set(table, known);
    return known.get(id);
  };

  const choices: Record<string, string[]> = {};
  for (const [table, name] of Object.entries(CHOICES)) {
    const rows = (await valuesOf(table)).filter((row) => row.text('value') !== '');
    if (rows.length > 0) choices[name] = rows.map((row) => row.text('value'));
    for (const row of rows.filter((one) => one.has('isactive') && !one.boolean('isactive'))) {
      problems.add(LEFT_OUT, `field ${name}`, `'${row.text('value')}' is inactive there, and offered here`);
    }
  }
  const statuses = await valuesOf('bug_status');
  const field_values = { ...choices, bug_status: await workflow(statuses) };

  /** The statuses with those that they may change to; the one without a name is that of new bugs. */
  async function workflow(rows: readonly Row[]) {
    const steps = await select('status_workflow', 'old_status new_status require_comment');
    const next = (from: number) =>
      rows.flatMap((to) => {
        const step = steps.find(
          (one) => one.number('old_status') === from && one.number('new_status') === to.number('id'),
        );
        // New bugs are open.
        if (step === undefined || (from === 0 && !to.boolean('is_open'))) return [];
        return [{ name: to.text('value'), comment_required: step.boolean('require_comment') }];
      });
    return [
      { name: '', is_open: true, is_active: true, can_change_to: next(0) },
      ...rows.map((row) => ({
        name: row.text('value'),
        is_open: row.boolean('is_open'),
        is_active: row.boolean('isactive'),
        can_change_to: next(row.number('id')),
      })),
    ];
  }

  /** The values of the field on which it depends whether another one shows. */
  async function visibility(row: Row): Promise<{ field: string | null; values: (string | string[])[] }> {
    const field = fieldNames.get(row.number('visibility_field_id'));
    if (field === undefined) return { field: null, values: [] };
    const stored = await select('field_visibility', 'field_id value_id');
    const ids = stored
      .filter((one) => one.number('field_id') === row.number('id'))
      .map((one) => one.number('value_id'));
    // 4.0 had one value only.
    if (row.has('visibility_value_id')) ids.push(row.number('visibility_value_id'));
    const values = await Promise.all(ids.map((id) => valueNamed(field, id)));
    return { field, values: values.filter((value) => value !== undefined) };
  }

  async function valueNamed(field: string, id: number): Promise<string | string[] | undefined> {
    if (field === 'product') return productName(id);
    if (field !== 'component') return nameOf(field, id);
    const rows = await select('components', 'id name product_id', `WHERE id = ${id}`);
    const product = await productName(rows[0]?.number('product_id') ?? 0);
    const component = rows[0]?.text('name');
    return product === undefined || component === undefined ? undefined : [product, component];
  }

  const productName = async (id: number): Promise<string | undefined> =>
    (await select('products', 'id name', `WHERE id = ${id}`))[0]?.text('name');

  const bug_fields = [];
  for (const row of defs.filter((one) => one.boolean('custom'))) {
    const [name, type] = [row.text('name'), row.number('type')];
    const hasValues = type === FIELD_TYPES.SELECT || type === FIELD_TYPES.MULTI_SELECT;
    if (!CUSTOM_KINDS.has(type)) {
      problems.add(LEFT_OUT, `field ${name}`, `it has the type ${type}, which is not known here`);
      continue;
    }
    if (row.has('value_field_id')) {
      const by = fieldNames.get(row.number('value_field_id'));
      problems.add(LEFT_OUT, `field ${name}`, `which of its values show depends on ${by} there; here all do`);
    }
    const shown = await visibility(row);
    bug_fields.push({
      id: row.number('id'),
      name,
      display_name: row.text('description').trim() || name,
      type,
      sort_key: row.number('sortkey'),
      is_on_bug_entry: row.boolean('enter_bug'),
      is_obsolete: row.boolean('obsolete'),
      is_mandatory: row.boolean('is_mandatory'),
      visibility_field: shown.field,
      visibility_values: shown.values,
      values: hasValues
        ? (await valuesOf(name)).map((value) => ({
            name: value.text('value'),
            sort_key: value.number('sortkey'),
            is_active: value.boolean('isactive'),
          }))
        : [],
    });
  }
  const keywords = await select('keyworddefs', 'id name description', 'ORDER BY id');
  const classifications = await select('classifications', 'id name description', 'ORDER BY id');
  const shownColumns = columns.get('bugs');
  return {
    fieldNames,
    keywordNames: namesOf(keywords),
    statuses: new Map(statuses.map((row) => [row.text('value'), row.boolean('is_open')])),
    /** those of which bugs have values */
    customFields: bug_fields.filter(
      ({ name, type }) => type === FIELD_TYPES.MULTI_SELECT || shownColumns?.has(name.toLowerCase()),
    ),
    classificationNames: namesOf(classifications),
    settings: {
      classifications: classifications.map((row) => ({
        id: row.number('id'),
        name: row.text('name'),
        description: row.text('description'),
      })),
      keywords: keywords.map((row) => ({
        name: row.text('name'),
        description: row.text('description').replaceAll(/[^\P{Cc}\n\t]/gu, ' '),
      })),
      field_values,
      bug_fields,
    },
  };
}
