import { normalizeName, trim } from '../base/text.ts';
import { errors } from '../errors.ts';
import type { Caller } from '../people/caller.ts';
import type { UserRepository } from '../people/repository.ts';
import type { RecordFor } from '../table/idempotency.ts';
import { checkComponent, type GivenComponent } from './check-component.ts';
import { desiredOf } from './document-repository.ts';
import { type FoundPart, requirePart, requirePartOfPath } from './find-parts.ts';
import { type ChangePart, type PartSources, partNamed, withPart, writePart } from './parts.ts';
import { requireAccessible } from './permissions.ts';
import { type ComponentItem, componentItem, EMPTY_COMPONENT } from './schema.ts';

/** Where components are written, and what they refer to. */
export interface ComponentSources extends PartSources {
  users: Pick<UserRepository, 'byLogins'>;
}

/**
 * Creates a component of a product.
 *
 * @returns the id
 */
export async function createComponent(
  sources: ComponentSources,
  retryTimeoutMs: number,
  caller: Caller,
  { product: givenProduct, ...given }: GivenComponent & { product: string },
  recordFor: RecordFor,
): Promise<number> {
  const { products, productDocuments, users } = sources;
  const productName = trim(givenProduct);
  if (productName === '') throw errors.parameterMissing('product');
  const ids = await products.idsByName([productName]);
  const productId = ids.get(normalizeName(productName)) ?? 0;
  const readProduct = async () => requireAccessible(await products.withParts(productId), productName, caller);
  // The error of the product comes first.
  const [product, checked] = await Promise.allSettled([readProduct(), checkComponent(users, given)]);
  const [first, fields] = [settled(product), settled(checked)];
  const id = await productDocuments.allocateComponentId();
  const write = { first, command: 'rest add component', record: recordFor(id) };
  await writePart(sources, retryTimeoutMs, caller, write, addComponent(id, fields));
  return id;
}

/** Adds a component to a product. @param fields that were checked, with the name */
export function addComponent(
  id: number,
  fields: Readonly<Record<string, unknown>>,
): ChangePart<ComponentItem> {
  const attributes = Object.entries(fields).filter(([, value]) => !isEmptyList(value));
  const part = componentItem.parse({
    ...{ ...EMPTY_COMPONENT, id },
    ...Object.fromEntries(attributes),
  });
  return (existing) => {
    if (partNamed(existing.components, part.name) !== undefined) throw errors.componentTaken(part.name);
    return { desired: { ...desiredOf(existing), components: withPart(existing.components, part) }, part };
  };
}

/** Changes a component of a product. @param fields that were checked */
export const updateComponent =
  (found: ComponentItem, fields: Readonly<Record<string, unknown>>): ChangePart<ComponentItem> =>
  (existing) => {
    const before = existing.components.find(({ id }) => id === found.id);
    if (before === undefined) throw errors.valueUnknown('component', found.name);
    const part = componentItem.parse({ ...before, ...fields });
    const other = partNamed(
      existing.components.filter(({ id }) => id !== part.id),
      part.name,
    );
    if (other !== undefined && part.name !== before.name) throw errors.componentTaken(part.name);
    return { desired: { ...desiredOf(existing), components: withPart(existing.components, part) }, part };
  };

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

function settled<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

/** What a request names: the path, `<product>/<name>`; without one, the parameters. */
export interface NamedComponent {
  path: string;
  product: string;
  component: string;
}

/**
 * Changes a component. Bugs refer to it by its id, so they stay in it under another name.
 *
 * @returns the component as it is then
 */
export async function changeComponent(
  sources: ComponentSources,
  retryTimeoutMs: number,
  caller: Caller,
  named: NamedComponent,
  given: GivenComponent,
): Promise<ComponentItem> {
  const { first, part: found } = await requireComponent(sources, caller, named);
  const fields = await checkComponent(sources.users, given);
  const write = { first, command: 'rest change component' };
  return writePart(sources, retryTimeoutMs, caller, write, updateComponent(found, fields));
}

const OF_COMPONENTS = {
  kind: 'component',
  partsOf: ({ components }: { components: readonly ComponentItem[] }) => components,
};

function requireComponent(
  { products }: PartSources,
  caller: Caller,
  { path, product, component }: NamedComponent,
): Promise<FoundPart<ComponentItem>> {
  if (path === '') {
    if (trim(product) === '') throw errors.parameterMissing('product');
    if (trim(component) === '') throw errors.parameterMissing('component');
    return requirePart(products, { product, name: component }, caller, OF_COMPONENTS);
  }
  return requirePartOfPath(products, path, caller, OF_COMPONENTS);
}
