import type { Table } from '../dynamodb/client.ts';
import { allocateIds } from '../dynamodb/counters.ts';
import type { CounterName } from '../dynamodb/keys.ts';
import { mapConcurrent } from '../map-concurrent.ts';
import { bulkProductRepository, type DesiredProduct, desiredFields } from '../products/bulk-repository.ts';
import { productRepository } from '../products/repository.ts';
import {
  type ComponentItem,
  componentItem,
  type FlagTypeItem,
  flagTypeItem,
  type ProductParts,
  type ProductWithParts,
  type ReleaseItem,
  releaseItem,
} from '../products/schema.ts';
import { normalizeName } from '../text.ts';
import type { Groups } from './apply-groups.ts';
import { DEFAULT_VERSION, DEFAULTS, mergeFields } from './defaults.ts';
import { CatalogueError } from './errors.ts';
import type { Catalogue, CatalogueProduct } from './schema.ts';
import type { SummaryCounter } from './summary.ts';

/** Adds and updates products with their parts. Fields and parts that the catalogue does not have are kept. */
export async function applyProducts(
  table: Table,
  catalogue: Catalogue,
  groups: Groups,
  counter: SummaryCounter,
  placeholder: string,
): Promise<void> {
  const entries = [...catalogue.products.entries()];
  await mapConcurrent(entries, async ([index, product]) => {
    const path = `$.products[${index}]`;
    const existing = await findProduct(table, product, path);
    const desired = await desiredProduct(table, product, existing, groups, path, placeholder);
    const changed = await bulkProductRepository(table).save(existing, desired);
    counter.count('products', changed ? (existing === undefined ? 'added' : 'changed') : 'unchanged');
  });
}

async function findProduct(
  table: Table,
  { id, name }: CatalogueProduct,
  path: string,
): Promise<ProductWithParts | undefined> {
  const repository = productRepository(table);
  const namedId = (await repository.idsByName([name])).get(normalizeName(name));
  if (id !== undefined && namedId !== undefined && namedId !== id) {
    throw new CatalogueError(`${path}.name: the product '${name}' has the id ${namedId}, not ${id}`);
  }
  const existingId = id ?? namedId;
  if (existingId === undefined) return undefined;
  const existing = await repository.withParts(existingId);
  if (existing !== undefined && namedId === undefined) {
    throw new CatalogueError(
      `${path}.id: the product ${existingId} is '${existing.product.name}', not '${name}'`,
    );
  }
  return existing;
}

interface Part {
  id: number;
  name: string;
}

/**
 * The parts as they should be, each with its id: that of the catalogue, of the part of that name in the table, or a new
 * one. Existing parts that the catalogue does not have are kept.
 *
 * @param keyOf distinguishes the parts of a product
 * @param build a part from its fields in the catalogue with its id, and the one in the table
 */
async function desiredParts<T extends Part, G extends { id?: number | undefined; name: string }>(
  table: Table,
  counter: CounterName,
  given: readonly G[],
  existing: readonly T[],
  keyOf: (part: T | G) => string,
  build: (given: G & { id: number }, existing: T | undefined, index: number) => T,
): Promise<T[]> {
  const byKey = new Map(existing.map((part) => [keyOf(part), part]));
  const byId = new Map(existing.map((part) => [part.id, part]));
  const missing = given.filter((part) => part.id === undefined && !byKey.has(keyOf(part))).length;
  let next = missing === 0 ? 0 : await allocateIds(table, counter, missing);
  const parts = given.map((part, index) => {
    const id = part.id ?? byKey.get(keyOf(part))?.id ?? next++;
    return build({ ...part, id }, byId.get(id), index);
  });
  const ids = new Set(parts.map(({ id }) => id));
  return [...parts, ...existing.filter(({ id }) => !ids.has(id))];
}

const nameKey = ({ name }: { name: string }): string => normalizeName(name);
/** A flag type for bugs and one for attachments may have the same name. */
const flagTypeKey = ({ name, target }: { name: string; target: string }): string =>
  `${target} ${normalizeName(name)}`;

async function desiredProduct(
  table: Table,
  given: CatalogueProduct,
  existing: ProductWithParts | undefined,
  groups: Groups,
  path: string,
  placeholder: string,
): Promise<DesiredProduct> {
  const id = given.id ?? existing?.product.id ?? (await allocateIds(table, 'product'));
  const { components: _, flag_types: __, milestones, versions, group_controls, ...fields } = given;
  const default_milestone =
    given.default_milestone ?? existing?.product.default_milestone ?? milestones[0]?.name ?? placeholder;
  const hasMilestone = [...milestones, ...(existing?.milestones ?? [])].some(
    ({ name }) => normalizeName(name) === normalizeName(default_milestone),
  );
  const hasVersion = versions.length + (existing?.versions.length ?? 0) > 0;
  const release = (one: Part, known: ReleaseItem | undefined) =>
    releaseItem.parse(mergeFields(DEFAULTS.release, known, one));
  const components = await desiredParts<ComponentItem, CatalogueProduct['components'][number]>(
    table,
    'component',
    given.components,
    existing?.components ?? [],
    nameKey,
    (one, known) => componentItem.parse(mergeFields(DEFAULTS.component, known, one)),
  );
  const parts: ProductParts = {
    components,
    flagTypes: await desiredParts<FlagTypeItem, CatalogueProduct['flag_types'][number]>(
      table,
      'flagtype',
      given.flag_types,
      existing?.flagTypes ?? [],
      flagTypeKey,
      (type, known, index) =>
        desiredFlagType(type, known, components, groups, `${path}.flag_types[${index}]`),
    ),
    milestones: await desiredParts<ReleaseItem, CatalogueProduct['milestones'][number]>(
      table,
      'milestone',
      hasMilestone ? milestones : [...milestones, { name: default_milestone }],
      existing?.milestones ?? [],
      nameKey,
      release,
    ),
    versions: await desiredParts<ReleaseItem, CatalogueProduct['versions'][number]>(
      table,
      'version',
      hasVersion ? versions : [{ name: DEFAULT_VERSION }],
      existing?.versions ?? [],
      nameKey,
      release,
    ),
  };
  const controls = group_controls?.map((control, index) => ({
    ...control,
    group: groups.named(control.group, `${path}.group_controls[${index}].group`).name,
  }));
  const product = desiredFields.parse({
    ...mergeFields(DEFAULTS.product, existing?.product, { ...fields, group_controls: controls }),
    id,
    default_milestone,
    has_active_component: parts.components.some((part) => part.is_active),
    has_active_version: parts.versions.some((part) => part.is_active),
  });
  return { product, ...parts };
}

function desiredFlagType(
  given: CatalogueProduct['flag_types'][number] & { id: number },
  existing: FlagTypeItem | undefined,
  components: readonly ComponentItem[],
  groups: Groups,
  path: string,
): FlagTypeItem {
  const group = (name: string | null | undefined, field: string) => {
    if (name === null || name === undefined) return name;
    const { id, name: spelled } = groups.named(name, `${path}.${field}`);
    return { id, name: spelled };
  };
  const names = given.components && new Set(given.components);
  return flagTypeItem.parse(
    mergeFields(DEFAULTS.flagType, existing, {
      ...given,
      grant_group: group(given.grant_group, 'grant_group'),
      request_group: group(given.request_group, 'request_group'),
      components: names && components.filter(({ name }) => names.has(name)).map(({ id }) => id),
    }),
  );
}
