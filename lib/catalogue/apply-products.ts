import type { Table } from '../dynamodb/client.ts';
import { type IdAllocator, idAllocator } from '../dynamodb/counters.ts';
import type { CounterName } from '../dynamodb/keys.ts';
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
  const allocate = idAllocator(table);
  const entries = catalogue.products.map((given, index) => ({ given, path: `$.products[${index}]` }));
  for (let start = 0; start < entries.length; start += PORTION) {
    const portion = entries.slice(start, start + PORTION);
    const known = await findProducts(table, portion);
    const saves = await Promise.all(
      portion.map(async ({ given, path }, index) => {
        const existing = known[index];
        const desired = await desiredProduct(allocate, given, existing, groups, path, placeholder);
        return { existing, desired };
      }),
    );
    for (const [index, changed] of (await bulkProductRepository(table).save(saves)).entries()) {
      const existing = known[index];
      counter.count('products', changed ? (existing === undefined ? 'added' : 'changed') : 'unchanged');
    }
  }
}

/** Products that are read, and then written, together. */
const PORTION = 99;

interface Entry {
  given: CatalogueProduct;
  path: string;
}

/** The stored products of entries; undefined for new ones. */
async function findProducts(
  table: Table,
  entries: readonly Entry[],
): Promise<(ProductWithParts | undefined)[]> {
  const repository = productRepository(table);
  const idsByName = await repository.idsByName(entries.map(({ given }) => given.name));
  const ids = entries.map(({ given, path }) => {
    const namedId = idsByName.get(normalizeName(given.name));
    if (given.id !== undefined && namedId !== undefined && namedId !== given.id) {
      throw new CatalogueError(
        `${path}.name: the product '${given.name}' has the id ${namedId}, not ${given.id}`,
      );
    }
    return given.id ?? namedId;
  });
  const found = await repository.allWithParts(ids.filter((id) => id !== undefined));
  const byId = new Map(found.map((one) => [one.product.id, one]));
  return entries.map(({ given, path }, index) => {
    const existing = byId.get(ids[index] ?? 0);
    if (existing !== undefined && !idsByName.has(normalizeName(given.name))) {
      throw new CatalogueError(
        `${path}.id: the product ${existing.product.id} is '${existing.product.name}', not '${given.name}'`,
      );
    }
    return existing;
  });
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
  allocate: IdAllocator,
  counter: CounterName,
  given: readonly G[],
  existing: readonly T[],
  keyOf: (part: T | G) => string,
  build: (given: G & { id: number }, existing: T | undefined, index: number) => T,
): Promise<T[]> {
  const byKey = new Map(existing.map((part) => [keyOf(part), part]));
  const byId = new Map(existing.map((part) => [part.id, part]));
  const missing = given.filter((part) => part.id === undefined && !byKey.has(keyOf(part))).length;
  let next = missing === 0 ? 0 : await allocate(counter, missing);
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
  allocate: IdAllocator,
  given: CatalogueProduct,
  existing: ProductWithParts | undefined,
  groups: Groups,
  path: string,
  placeholder: string,
): Promise<DesiredProduct> {
  const id = given.id ?? existing?.product.id ?? (await allocate('product'));
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
    allocate,
    'component',
    given.components,
    existing?.components ?? [],
    nameKey,
    (one, known) => componentItem.parse(mergeFields(DEFAULTS.component, known, one)),
  );
  const parts: ProductParts = {
    components,
    flagTypes: await desiredParts<FlagTypeItem, CatalogueProduct['flag_types'][number]>(
      allocate,
      'flagtype',
      given.flag_types,
      existing?.flagTypes ?? [],
      flagTypeKey,
      (type, known, index) =>
        desiredFlagType(type, known, components, groups, `${path}.flag_types[${index}]`),
    ),
    milestones: await desiredParts<ReleaseItem, CatalogueProduct['milestones'][number]>(
      allocate,
      'milestone',
      hasMilestone ? milestones : [...milestones, { name: default_milestone }],
      existing?.milestones ?? [],
      nameKey,
      release,
    ),
    versions: await desiredParts<ReleaseItem, CatalogueProduct['versions'][number]>(
      allocate,
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
