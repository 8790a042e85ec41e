import { start } from './initial-catalogue.ts';
import type { Given } from './model.ts';
import { type Caller, flag, isDigits, list, pick, Refusal, requireGroup, text } from './send-request.ts';
import { byId, type Product, same, sorted, type World } from './world.ts';

/** The default milestone of a new product. functions/README.md 4.4. */
const PLACEHOLDER = '—';

const isMember = (caller: Caller, controls: Product['group_controls']) =>
  controls.every(({ group }) => caller.groups.includes(group));
const hasActive = (parts: { is_active: boolean }[]) => parts.some(({ is_active }) => is_active);

/** Visibility of products. functions/README.md 4. */
const isOfType: Record<string, (product: Product, caller: Caller) => boolean> = {
  selectable: ({ group_controls }, caller) =>
    isMember(
      caller,
      group_controls.filter(({ membercontrol }) => membercontrol === 'MANDATORY'),
    ),
  enterable: ({ is_active, components, versions, group_controls }, caller) =>
    [is_active, hasActive(components), hasActive(versions)].every(Boolean) &&
    isMember(
      caller,
      group_controls.filter(({ entry }) => entry),
    ),
  accessible: (product, caller) =>
    isOfType['selectable']?.(product, caller) === true || isOfType['enterable']?.(product, caller) === true,
};
/** Whether a caller may enter bugs, if there are a component and a version for them. */
export const takesBugs = ({ is_active, group_controls }: Product, caller: Caller) =>
  is_active &&
  isMember(
    caller,
    group_controls.filter(({ entry }) => entry),
  );

/** Whether a caller may change the bugs of a product. functions/README.md 5 (canedit). */
export const mayEditBugs = (product: Product, caller: Caller): boolean =>
  isMember(
    caller,
    product.group_controls.filter(({ canedit }) => canedit),
  );

function ofTypes(world: World, caller: Caller, types: string[]): Product[] {
  const tests = types.map((type) => isOfType[type]);
  return world.products.filter((product) => tests.some((test) => test?.(product, caller)));
}

/** functions/README.md 4.2. */
export const listIds = (type: string) => (world: World, caller: Caller) => ({
  ids: ofTypes(world, caller, [type]).map(({ id }) => id),
});

/** functions/README.md 4.3. */
export function getProducts(world: World, caller: Caller, { path, parameters }: Given) {
  const types = list(parameters['type']);
  const inPath = path['id_or_name'];
  const isAll = inPath === undefined && !('ids' in parameters) && !('names' in parameters);
  const isNamed = ({ id, name }: Product) =>
    list(parameters['ids']).includes(String(id)) ||
    list(parameters['names']).some((one) => same(one, name)) ||
    (inPath !== undefined && names(inPath, { id, name }));
  const shown = ofTypes(world, caller, types.length === 0 ? ['accessible'] : types);
  return {
    products: shown
      .filter((product) => isAll || isNamed(product))
      .map(({ group_controls, ...view }) => pick(view, parameters['include_fields'])),
  };
}

/** A text of digits is an id, in the form that ids have; any other a name. functions/README.md 4. */
const names = (given: string, { id, name }: Pick<Product, 'id' | 'name'>) =>
  isDigits(given) ? String(id) === given : same(given, name);

/** functions/README.md 4.4. */
export function createProduct(world: World, caller: Caller, { parameters, generated }: Given) {
  requireGroup(caller, 'editcomponents');
  const given = Object.fromEntries(
    ['name', 'description', 'version', 'classification', 'default_milestone'].map((name) => [
      name,
      text(parameters[name]),
    ]),
  );
  const flags = {
    is_active: flag(parameters['is_open']) ?? true,
    has_unconfirmed: flag(parameters['has_unconfirmed']) ?? true,
  };
  const wanted = given['classification']?.trim() ?? 'Unclassified';
  const classification = start.classifications.find(({ name }) => same(name, wanted))?.name ?? '';
  const name = checkName(world, given['name'] ?? '');
  const [description = '', version = ''] = [given['description']?.trim(), given['version']];
  const milestone = given['default_milestone']?.trim() ?? PLACEHOLDER;

  const id = generated.id ?? -1;
  const parts = generated.partsOf(id);
  const release = { sort_key: 0, is_active: true };
  const product: Product = {
    ...{ id, name, description, ...flags, classification, default_milestone: milestone },
    components: [],
    versions: [{ id: parts.version, name: version, ...release }],
    milestones: [{ id: parts.milestone, name: milestone, ...release }],
    group_controls: [],
  };
  world.products = sorted([...world.products, product], byId);
  return { id };
}

/** The trimmed name. @throws Refusal when it is taken; functions/README.md 4 */
function checkName(world: World, given: string, product?: Product): string {
  const name = given.trim();
  if (world.products.some((other) => other !== product && same(other.name, name)))
    throw new Refusal(400, 702);
  return name;
}

/** functions/README.md 4.5. */
export function updateProducts(world: World, caller: Caller, { path, parameters }: Given) {
  requireGroup(caller, 'editcomponents');
  const given = (name: string) => text(parameters[name]);
  const targets = [
    (product: Product) => names(path['id_or_name'] ?? '', product),
    ...list(parameters['ids']).map((id) => (product: Product) => String(product.id) === id),
    ...list(parameters['names']).map((name) => (product: Product) => same(name, product.name)),
  ].map((isMeant) => ofTypes(world, caller, ['accessible']).find(isMeant));
  const products = [...new Set(targets)].map((product) => {
    if (product === undefined) throw new Refusal(401, 106);
    return product;
  });
  const name = given('name');

  const values: Partial<Product> = {};
  if (name !== undefined) values.name = checkName(world, name, products[0]);
  const description = given('description');
  if (description !== undefined) values.description = description.trim();
  const milestone = given('default_milestone');
  if (milestone !== undefined) values.default_milestone = checkMilestone(products, milestone.trim());
  const has_unconfirmed = flag(parameters['has_unconfirmed']);
  if (has_unconfirmed !== undefined) values.has_unconfirmed = has_unconfirmed;
  const is_active = flag(parameters['is_open']) ?? flag(parameters['is_active']);
  if (is_active !== undefined) values.is_active = is_active;
  return { products: products.map((product) => change(product, values)) };
}

function checkMilestone(products: Product[], milestone: string): string {
  const isThere = products.every(({ milestones }) => milestones.some(({ name }) => name === milestone));
  if (!isThere) throw new Refusal(400, 705);
  return milestone;
}

/** Changes the product. @returns the changes; functions/README.md 4.5 */
function change(product: Product, values: Partial<Product>) {
  const shown = (value: unknown) => (typeof value === 'boolean' ? String(Number(value)) : value);
  const before: Record<string, unknown> = { ...product };
  const changed = Object.entries(values).filter(([name, value]) => before[name] !== value);
  Object.assign(product, values);
  const changes = changed.map(([name, value]) => [
    name === 'is_active' ? 'is_open' : name,
    { added: shown(value), removed: shown(before[name]) },
  ]);
  return { id: product.id, changes: Object.fromEntries(changes) };
}
