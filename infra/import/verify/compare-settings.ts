import { SHOWN_COMPONENT_FIELDS } from '../../../lib/products/component-fields.ts';
import { type Bugzilla, unlessRefused } from '../bugzilla-client.ts';
import {
  definitionsResponse,
  fieldsResponse,
  productsResponse,
  type SourceFlagType,
  type SourceProduct,
} from '../source-schema.ts';
import type { Sides } from './compare-bugs.ts';
import type { Differences } from './differences.ts';

type Side = keyof Sides;

const PRODUCTS_PER_REQUEST = 20;
const PRODUCT_FIELDS = [
  ...(['name', 'description', 'is_active', 'default_milestone'] as const),
  ...(['has_unconfirmed', 'classification'] as const),
];
const COMPONENT_FIELDS = [
  ...(['name', 'is_active'] as const),
  ...SHOWN_COMPONENT_FIELDS.map(({ name }) => name),
];
/** Bugzilla returns 0 for the sort keys of components and versions. */
const VERSION_FIELDS = ['name', 'is_active'] as const;
const MILESTONE_FIELDS = ['name', 'is_active', 'sort_key'] as const;
const FLAG_TYPE_FIELDS = [
  ...(['name', 'description', 'cc_list', 'sort_key', 'is_active'] as const),
  ...(['is_requestable', 'is_requesteeble', 'is_multiplicable'] as const),
];
const CHOICES = ['priority', 'bug_severity', 'rep_platform', 'op_sys', 'resolution'];
const DEFINITION_FIELDS = [
  ...(['display_name', 'type', 'is_mandatory', 'is_on_bug_entry'] as const),
  ...(['visibility_field', 'visibility_values'] as const),
];

/** What an administrator sees of products with their parts, and of what bugs may have. */
export async function compareSettings(
  sides: Sides,
  products: readonly number[],
  custom: readonly string[],
  differences: Differences,
): Promise<void> {
  for (let from = 0; from < products.length; from += PRODUCTS_PER_REQUEST) {
    const ids = products.slice(from, from + PRODUCTS_PER_REQUEST);
    const [there, here] = await Promise.all([productsOf(sides.there, ids), productsOf(sides.here, ids)]);
    for (const id of ids) {
      const [a, b] = [there.get(id), here.get(id)];
      // A product that one side does not show is a difference already.
      if (a !== undefined && b !== undefined) await compareProduct(a, b, differences);
    }
  }
  await compareFields(sides, custom, differences);
}

async function productsOf(bugzilla: Bugzilla, ids: readonly number[]): Promise<Map<number, SourceProduct>> {
  const { products } = await bugzilla.get('product', productsResponse, { query: { ids } });
  return new Map(products.map((product) => [product.id, product]));
}

interface Part {
  id: number;
  name: string;
}

async function compareProduct(
  there: SourceProduct,
  here: SourceProduct,
  differences: Differences,
): Promise<void> {
  const about = { kind: 'products', reader: 'administrator' } as const;
  const product = `product '${there.name}'`;
  const compare = async <T extends object>(
    where: string,
    fields: readonly (keyof T & string)[],
    a: T,
    b: T,
  ): Promise<void> => {
    for (const field of fields) {
      // What a version does not tell stays as it is here.
      if (a[field] === undefined) continue;
      await differences.compare({ ...about, where, field, there: a[field], here: b[field] });
    }
  };
  const compareParts = async <T extends Part>(
    kind: string,
    fields: readonly (keyof T & string)[],
    a: readonly T[],
    b: readonly T[],
  ): Promise<void> => {
    const [byId, others] = [a, b].map((all) => new Map(all.map((part) => [part.id, part])));
    for (const id of new Set([...a, ...b].map((part) => part.id))) {
      const [one, other] = [byId?.get(id), others?.get(id)];
      const where = `${product}, ${kind} ${id}`;
      if (one !== undefined && other !== undefined) await compare(where, fields, one, other);
      else await differences.compare({ ...about, where, field: 'name', there: one?.name, here: other?.name });
    }
  };
  await compare(product, PRODUCT_FIELDS, there, here);
  await compareParts('component', COMPONENT_FIELDS, there.components, here.components);
  await compareParts('version', VERSION_FIELDS, there.versions, here.versions);
  await compareParts('milestone', MILESTONE_FIELDS, there.milestones, here.milestones);
  await compareParts('flag type', FLAG_TYPE_FIELDS, flagTypesOf(there), flagTypesOf(here));
}

const flagTypesOf = ({ components }: SourceProduct): SourceFlagType[] => [
  ...new Map(
    components
      .flatMap(({ flag_types }) => [...flag_types.bug, ...flag_types.attachment])
      .map((type) => [type.id, type]),
  ).values(),
];

/** The values of fields in their order, statuses with their transitions, keywords, and the definitions of custom fields. */
async function compareFields(
  sides: Sides,
  custom: readonly string[],
  differences: Differences,
): Promise<void> {
  const about = { kind: 'settings', reader: 'administrator' } as const;
  const names = [...CHOICES, 'bug_status', 'keywords'];
  const read = async (side: Side) => {
    const values = sides[side].get('field/bug', fieldsResponse, { query: { names } });
    const query = { names: custom };
    const definitions =
      custom.length === 0 ? { fields: [] } : sides[side].get('field/bug', definitionsResponse, { query });
    const all = Promise.all([values, definitions]);
    return unlessRefused(
      all.then(([{ fields }, defined]) => ({ fields, defined: defined.fields })),
      ({ message }) => message,
    );
  };
  const [there, here] = await Promise.all([read('there'), read('here')]);
  if (typeof there === 'string' || typeof here === 'string') {
    const response = (one: typeof there) => (typeof one === 'string' ? one : 'read');
    const why = { there: response(there), here: `${response(here)}.` };
    await differences.compare({ ...about, where: 'fields', field: 'response', ...why });
    return;
  }
  for (const name of names) {
    const [a, b] = [there, here].map((side) => valuesOf(side.fields, name));
    if (a === undefined || b === undefined || a.size === 0) continue;
    const order = { there: [...a.keys()], here: [...b.keys()] };
    if (CHOICES.includes(name)) {
      await differences.compare({ ...about, where: `field ${name}`, field: 'values', ...order });
      continue;
    }
    for (const value of new Set([...a.keys(), ...b.keys()])) {
      const where = `${name === 'keywords' ? 'keyword' : 'status'} '${value}'`;
      const both = { there: a.get(value), here: b.get(value) };
      await differences.compare({ ...about, where, field: name, ...both });
    }
  }
  for (const field of there.defined.filter(({ name }) => custom.includes(name))) {
    const other = here.defined.find(({ name }) => name === field.name);
    for (const property of DEFINITION_FIELDS) {
      const both = { there: field[property], here: other?.[property] };
      await differences.compare({ ...about, where: `field ${field.name}`, field: property, ...both });
    }
  }
}

type Fields = ReturnType<typeof fieldsResponse.parse>['fields'];

/** What is compared of each value of a field, by name. New bugs are open here, and no status follows itself. */
function valuesOf(fields: Fields, name: string): Map<string, unknown> {
  const values = fields.find((field) => field.name === name)?.values ?? [];
  const closed = new Set(values.filter(({ is_open }) => is_open === false).map((value) => value.name));
  return new Map(
    values.map((value): [string, unknown] => {
      if (name === 'keywords') return [value.name, value.description];
      if (name !== 'bug_status') return [value.name, undefined];
      const next = (value.can_change_to ?? [])
        .filter((to) => to.name !== value.name && !(value.name === '' && closed.has(to.name)))
        .map((to) => `${to.name}${to.comment_required ? ' with a comment' : ''}`);
      return [value.name, { is_open: value.is_open ?? true, can_change_to: next.sort() }];
    }),
  );
}
