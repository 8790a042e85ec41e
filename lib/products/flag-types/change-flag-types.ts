import { bit, type Difference, differences, sortedNumbers } from '../../base/collections.ts';
import type { Named } from '../../base/names.ts';
import { normalizeName } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import { type Caller, requireUser } from '../../people/caller.ts';
import type { UserRepository } from '../../people/repository.ts';
import type { IdempotencyRecord, RecordFor } from '../../table/idempotency.ts';
import { RetriesExhausted, retryStale } from '../../table/retry.ts';
import { desiredOf, type ProductDocumentRepository, type ProductSave } from '../document-repository.ts';
import { readAllProducts } from '../find-parts.ts';
import { hasRight } from '../permissions.ts';
import type { ProductRepository } from '../repository.ts';
import type { FlagTypeItem, ProductWithParts } from '../schema.ts';
import type { FlagTypeUpdate } from './requests.ts';
import { checkFields, FLAG_TYPE_DEFAULTS } from './validation.ts';

/** The products, and their components, that something holds for. */
type Scope = ReadonlyMap<number, 'all' | ReadonlySet<number>>;

/** Where in a product a flag type is available. */
type Availability = Pick<FlagTypeItem, 'components' | 'excluded_components'>;

/** Bounds the work for each product. */
const MAX_SCOPE_NAMES = 1_000;

/** Resolves the names of products and components, in any case. */
function resolveScope(
  given: readonly (string | Readonly<Record<string, readonly string[]>>)[],
  products: readonly ProductWithParts[],
): Scope {
  const byName = new Map(products.map((one) => [normalizeName(one.product.name), one]));
  const named = given.flatMap((one): [string, readonly string[]][] =>
    typeof one === 'string' ? [[one, []]] : Object.entries(one),
  );
  // Nothing given means everywhere, which an object without products does not say.
  if (named.length === 0 && given.length > 0)
    throw errors.parameterInvalid('inclusions', 'it names no product');
  if (named.reduce((sum, [, components]) => sum + components.length + 1, 0) > MAX_SCOPE_NAMES) {
    throw errors.requestTooLarge(`at most ${MAX_SCOPE_NAMES} products and components`);
  }
  const scope = new Map<number, 'all' | Set<number>>();
  for (const [productName, componentNames] of named) {
    const found = byName.get(normalizeName(productName.trim()));
    if (found === undefined) throw errors.productAccessDenied(productName);
    const ids = componentNames.map((name) => {
      const component = found.components.find(
        (one) => normalizeName(one.name) === normalizeName(name.trim()),
      );
      if (component === undefined) throw errors.valueUnknown('component', name);
      return component.id;
    });
    const known = scope.get(found.product.id);
    if (ids.length === 0 || known === 'all') scope.set(found.product.id, 'all');
    else scope.set(found.product.id, new Set([...(known ?? []), ...ids]));
  }
  return scope;
}

/**
 * Where in a product a flag type is to be available; undefined: nowhere.
 *
 * @param included undefined: unchanged, of a new type everywhere; empty: everywhere
 * @param excluded undefined: unchanged
 * @param current where it is available before; undefined: nowhere
 */
function availabilityIn(
  product: number,
  included: Scope | undefined,
  excluded: Scope | undefined,
  current: Availability | undefined,
): Availability | undefined {
  const isEverywhere = included?.size === 0;
  const inside = isEverywhere ? 'all' : included?.get(product);
  if (included === undefined ? current === undefined : inside === undefined) return undefined;
  const outside = excluded?.get(product);
  if (outside === 'all') return undefined;
  return {
    components:
      included === undefined
        ? (current?.components ?? null)
        : inside instanceof Set
          ? sortedNumbers([...inside])
          : null,
    excluded_components:
      excluded === undefined ? (current?.excluded_components ?? []) : sortedNumbers([...(outside ?? [])]),
  };
}

/** Where flag types are written, and what they refer to. */
export interface FlagTypeSources {
  products: ProductRepository;
  productDocuments: ProductDocumentRepository;
  users: Pick<UserRepository, 'groups'>;
}

/** What an update did to a flag type; booleans are `'1'` and `'0'`, groups ids, no group null. */
interface UpdatedFlagType {
  id: number;
  name: string;
  changes: Record<string, Difference<string | null>>;
}

const MAX_FLAG_TYPES = 1_000;

/**
 * Creates a flag type in the products that its inclusions name, or in all that the caller may edit.
 *
 * @returns the id
 */
export async function createFlagType(
  sources: FlagTypeSources,
  caller: Caller,
  { target, ...given }: FlagTypeUpdate & Pick<FlagTypeItem, 'target'>,
  recordFor: RecordFor,
): Promise<number> {
  for (const field of ['name', 'description'] as const) {
    if ((given[field] ?? '').trim() === '') throw errors.parameterMissing(field);
  }
  const { name = '', ...fields } = await checkFields(given, sources.users);
  const type = { ...FLAG_TYPE_DEFAULTS, ...fields, name, target };
  const { editable } = await readEditableProducts(sources.products, caller);
  resolveScope([...(given.inclusions ?? []), ...(given.exclusions ?? [])], editable);
  const id = await sources.productDocuments.allocatePartId('flagtype');
  await writeAll(sources, caller, { command: 'rest add flag type', record: recordFor(id) }, (products) => {
    const included = resolveScope(given.inclusions ?? [], products);
    const excluded = resolveScope(given.exclusions ?? [], products);
    return products.flatMap((existing) => {
      const availability = availabilityIn(existing.product.id, included, excluded, undefined);
      const others = existing.flagTypes.filter((one) => one.id !== id);
      return availability === undefined
        ? []
        : [saveOf(existing, [...others, { ...type, id, ...availability }])];
    });
  });
  return id;
}

/**
 * Applies the same update to several flag types, in each of their products. Flags refer to their type by id, so they need
 * no update. Products that the caller may not edit keep their inclusions and exclusions; a type that only such products
 * have is an unknown one.
 *
 * @param named ids and names; a name stands for all types that have it, an unknown one for none
 */
export async function changeFlagTypes(
  sources: FlagTypeSources,
  caller: Caller,
  named: readonly Named[],
  given: FlagTypeUpdate,
): Promise<UpdatedFlagType[]> {
  if (given.description?.trim() === '') throw errors.flagTypeDescriptionMissing();
  const fields = await checkFields(given, sources.users);
  const { editable } = await readEditableProducts(sources.products, caller);
  const before = typesNamed(editable, named);
  await writeAll(sources, caller, { command: 'rest change flag type' }, (products, hidden) => {
    const shared = hidden.flatMap(({ flagTypes }) => flagTypes).find(({ id }) => before.has(id));
    if (shared !== undefined && Object.keys(fields).length > 0) throw errors.flagTypeNotEditable(shared.id);
    const included = given.inclusions && resolveScope(given.inclusions, products);
    const excluded = given.exclusions && resolveScope(given.exclusions, products);
    return products.flatMap((existing) => {
      const changed = [...before].flatMap(([id, known]) => {
        const current = existing.flagTypes.find((one) => one.id === id);
        const availability = availabilityIn(existing.product.id, included, excluded, current);
        return availability === undefined ? [] : [{ ...(current ?? known), ...fields, ...availability }];
      });
      const others = existing.flagTypes.filter(({ id }) => !before.has(id));
      return [saveOf(existing, [...others, ...changed])];
    });
  });
  return [...before.values()].map((type) => changedType(type, { ...type, ...fields }));
}

/** All products: those that the caller may edit, and the others. */
async function readEditableProducts(products: ProductRepository, caller: Caller) {
  const { accessible, hidden } = await readAllProducts(products, caller);
  const isEditable = ({ product }: ProductWithParts) => hasRight(caller, 'editcomponents', product);
  const editable = accessible.filter(isEditable);
  return { editable, others: [...accessible.filter((one) => !isEditable(one)), ...hidden] };
}

/** The types that a request names, by id, ordered. */
function typesNamed(
  products: readonly ProductWithParts[],
  named: readonly Named[],
): ReadonlyMap<number, FlagTypeItem> {
  const all = new Map(products.flatMap(({ flagTypes }) => flagTypes.map((type) => [type.id, type] as const)));
  const found = named.flatMap(({ given, byId }) => {
    if (!byId) return [...all.values()].filter(({ name }) => name === given);
    const type = all.get(Number(given));
    if (type === undefined) throw errors.flagTypeUnknown(given);
    return [type];
  });
  return new Map(found.toSorted((a, b) => a.id - b.id).map((type) => [type.id, type]));
}

/**
 * Writes the products that `change` returns, with optimistic locking: reads and computes them again when another request
 * changed one of them.
 */
async function writeAll(
  sources: FlagTypeSources,
  caller: Caller,
  { command, record }: { command: string; record?: IdempotencyRecord | undefined },
  change: (editable: ProductWithParts[], others: ProductWithParts[]) => ProductSave[],
): Promise<void> {
  const audit = { who: requireUser(caller).login, command };
  let isWritten = false;
  const onWritten = () => {
    isWritten = true;
  };
  try {
    await retryStale('the products', async () => {
      const { editable, others } = await readEditableProducts(sources.products, caller);
      await sources.productDocuments.saveTogether(change(editable, others), { record, audit, onWritten });
    });
  } catch (error) {
    if (isWritten && error instanceof RetriesExhausted) throw errors.changedPartly();
    throw error;
  }
}

function saveOf(existing: ProductWithParts, flagTypes: FlagTypeItem[]): ProductSave {
  if (flagTypes.length > MAX_FLAG_TYPES && flagTypes.length > existing.flagTypes.length) {
    throw errors.requestTooLarge(`at most ${MAX_FLAG_TYPES} flag types of a product`);
  }
  return { existing, desired: { ...desiredOf(existing), flagTypes } };
}

function changedType(before: FlagTypeItem, after: FlagTypeItem): UpdatedFlagType {
  return { id: after.id, name: after.name, changes: differences(shownFields(before), shownFields(after)) };
}

/** The fields of which changes are reported, by the names of the interface. */
const shownFields = (type: FlagTypeItem): Record<string, string | null> => ({
  name: type.name,
  description: type.description,
  cc_list: type.cc_list.join(', '),
  sortkey: String(type.sort_key),
  is_active: bit(type.is_active),
  is_requestable: bit(type.is_requestable),
  is_requesteeble: bit(type.is_requesteeble),
  is_multiplicable: bit(type.is_multiplicable),
  grant_group_id: type.grant_group === null ? null : String(type.grant_group.id),
  request_group_id: type.request_group === null ? null : String(type.request_group.id),
});
