import { MAX_NAME_LENGTH, nameProblem } from '../../lib/base/names.ts';
import { CONTROLS } from '../../lib/products/schema.ts';
import type { Names } from './read-people.ts';
import type { Source } from './read-source.ts';
import { type Row, uniqueNames } from './row.ts';

const LEFT_OUT = 'parts of products left out';

/** What bugs refer to of a product. */
export interface SourceProduct {
  name: string;
  /** names by ids */
  components: Map<number, string>;
  flagTypes: { id: number; name: string; components: string[] | null; excluded_components: string[] }[];
  /** components that bugs refer to and that it does not have */
  standIns: { id: number; name: string; is_active: boolean }[];
}

type Control = (typeof CONTROLS)[number];

/** Combinations that Bugzilla does not make, and those that restrict as much. */
const MENDED: Partial<Record<string, [Control, Control]>> = {
  'NA SHOWN': ['SHOWN', 'SHOWN'],
  'NA DEFAULT': ['SHOWN', 'DEFAULT'],
  'NA MANDATORY': ['SHOWN', 'MANDATORY'],
  'DEFAULT SHOWN': ['DEFAULT', 'DEFAULT'],
  'MANDATORY NA': ['MANDATORY', 'MANDATORY'],
  'MANDATORY SHOWN': ['MANDATORY', 'MANDATORY'],
  'MANDATORY DEFAULT': ['MANDATORY', 'MANDATORY'],
};

/** A version, of which there is no sort key, or a milestone. */
const partOf = (row: Row) => ({
  ...{ id: row.number('id'), name: row.text('value'), is_active: row.boolean('isactive') },
  sort_key: row.number('sortkey'),
});

/** Reads products with their parts. */
export async function readProducts(
  { database: { select, selectBy }, problems }: Source,
  names: Names,
  classificationNames: ReadonlyMap<number, string>,
) {
  const byProduct = (table: string, columns: string, rest = '') =>
    selectBy(table, 'product_id', columns, rest);
  const products = await select(
    'products',
    'id name classification_id description isactive defaultmilestone allows_unconfirmed',
    'ORDER BY id',
  );
  const components = await byProduct(
    'components',
    'id name initialowner initialqacontact description isactive',
    'ORDER BY id',
  );
  const versions = await byProduct('versions', 'id value isactive', 'ORDER BY id');
  const milestones = await byProduct('milestones', 'id value sortkey isactive', 'ORDER BY id');
  const controls = await byProduct(
    'group_control_map',
    'group_id entry membercontrol othercontrol canedit editcomponents editbugs canconfirm',
  );
  const componentCc = await selectBy('component_cc', 'component_id', 'user_id');
  const types = await flagTypes();

  /** The flag types, each with where its flags may be set. */
  async function flagTypes() {
    const rows = await select(
      'flagtypes',
      'id name description cc_list target_type is_active is_requestable is_requesteeble is_multiplicable sortkey grant_group_id request_group_id',
      'ORDER BY id',
    );
    const places = (table: string) => selectBy(table, 'type_id', 'product_id component_id');
    const [inclusions, exclusions] = [await places('flaginclusions'), await places('flagexclusions')];
    for (const row of rows.filter((one) => !inclusions.has(one.number('id')))) {
      problems.add(LEFT_OUT, `flag type ${row.number('id')}`, `'${row.text('name')}' is in no product`);
    }
    return rows.map((row) => ({
      row,
      inclusions: inclusions.get(row.number('id')) ?? [],
      exclusions: exclusions.get(row.number('id')) ?? [],
    }));
  }

  function flagTypesOf(product: number, componentNames: ReadonlyMap<number, string>) {
    const isHere = (place: Row) => !place.has('product_id') || place.number('product_id') === product;
    return types.flatMap(({ row, inclusions, exclusions }) => {
      const [included, excluded] = [inclusions.filter(isHere), exclusions.filter(isHere)];
      const isWhole = (place: Row) => !place.has('component_id');
      if (included.length === 0 || excluded.some(isWhole)) return [];
      const named = (places: readonly Row[]) =>
        places.flatMap((place) => componentNames.get(place.number('component_id')) ?? []);
      const group = (column: string) => (row.has(column) ? names.group(row.number(column)) : null);
      return [
        {
          id: row.number('id'),
          name: row.text('name').trim(),
          description: row.text('description'),
          target: row.text('target_type') === 'a' ? ('attachment' as const) : ('bug' as const),
          cc_list: row
            .text('cc_list')
            .split(/[,\s]+/)
            .filter((login) => login !== ''),
          sort_key: row.number('sortkey'),
          is_active: row.boolean('is_active'),
          is_requestable: row.boolean('is_requestable'),
          is_requesteeble: row.boolean('is_requesteeble'),
          is_multiplicable: row.boolean('is_multiplicable'),
          grant_group: group('grant_group_id'),
          request_group: group('request_group_id'),
          components: included.some(isWhole) ? null : named(included),
          excluded_components: named(excluded),
        },
      ];
    });
  }

  function controlOf(row: Row, product: string) {
    const group = names.group(row.number('group_id'));
    const [member = 'NA', other = 'NA'] = [
      CONTROLS[row.number('membercontrol')],
      CONTROLS[row.number('othercontrol')],
    ];
    const mended = MENDED[`${member} ${other}`];
    if (mended !== undefined) {
      const why = `the group '${group}' is ${member}/${other} there, which Bugzilla does not allow, and ${mended.join('/')} here`;
      problems.add(LEFT_OUT, `product '${product}'`, why);
    }
    const [membercontrol, othercontrol] = mended ?? [member, other];
    return {
      group,
      ...{ membercontrol, othercontrol, entry: row.boolean('entry'), canedit: row.boolean('canedit') },
      editcomponents: row.boolean('editcomponents'),
      editbugs: row.boolean('editbugs'),
      canconfirm: row.boolean('canconfirm'),
    };
  }

  const problemOf = (name: string) => nameProblem(name, MAX_NAME_LENGTH);
  const productNames = uniqueNames(products, 'product', problemOf, (id, change) =>
    problems.add(LEFT_OUT, `product ${id}`, `the name ${change}`),
  );
  const found = new Map<number, SourceProduct>();
  const entries = products.map((row) => {
    const id = row.number('id');
    const name = productNames.get(id) ?? '';
    const ownComponents = components.get(id) ?? [];
    const componentNames = uniqueNames(ownComponents, 'component', problemOf, (_, change) =>
      problems.add(LEFT_OUT, `product '${name}'`, `the component ${change}`),
    );
    const flag_types = flagTypesOf(id, componentNames);
    found.set(id, { name, components: componentNames, standIns: [], flagTypes: flag_types });
    return {
      id,
      name,
      description: row.text('description'),
      classification: classificationNames.get(row.number('classification_id')) ?? 'Unclassified',
      is_active: row.boolean('isactive'),
      has_unconfirmed: row.boolean('allows_unconfirmed'),
      default_milestone: row.text('defaultmilestone'),
      group_controls: (controls.get(id) ?? []).map((control) => controlOf(control, name)),
      components: ownComponents.map((one) => ({
        id: one.number('id'),
        name: componentNames.get(one.number('id')) ?? '',
        description: one.text('description'),
        default_assigned_to: names.knownLogin(one.number('initialowner')) ?? '',
        default_qa_contact: names.knownLogin(one.number('initialqacontact')) ?? '',
        default_cc: (componentCc.get(one.number('id')) ?? []).flatMap(
          (cc) => names.knownLogin(cc.number('user_id')) ?? [],
        ),
        sort_key: 0,
        is_active: one.boolean('isactive'),
      })),
      versions: (versions.get(id) ?? []).map(partOf),
      milestones: (milestones.get(id) ?? []).map(partOf),
      flag_types,
    };
  });
  return { products: entries, found };
}
