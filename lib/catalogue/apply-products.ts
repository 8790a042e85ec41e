import type { Table } from '../dynamodb/client.ts';
import { allocateIds } from '../dynamodb/counters.ts';
import type { CounterName } from '../dynamodb/keys.ts';
import { mapConcurrent } from '../map-concurrent.ts';
import { bulkProductRepository, type DesiredProduct } from '../products/bulk-repository.ts';
import { productRepository } from '../products/repository.ts';
import type {
  ComponentItem,
  FlagTypeItem,
  ProductParts,
  ProductWithParts,
  ReleaseItem,
} from '../products/schema.ts';
import { normalizeName } from '../text.ts';
import type { Groups } from './apply-groups.ts';
import { CatalogueError } from './errors.ts';
import type { Catalogue, CatalogueProduct } from './schema.ts';
import type { SummaryCounter } from './summary.ts';

/** Adds and updates products with their parts. Parts that the catalogue does not have are kept. */
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

interface Identified {
  id: number;
  name: string;
}

/** Assigns each part its id: that of the catalogue, of the table, or a new one. */
async function assignIds<T extends { id?: number | undefined; name: string }>(
  table: Table,
  counter: CounterName,
  parts: T[],
  existing: Identified[],
): Promise<(T & Identified)[]> {
  const known = new Map(existing.map((part) => [part.name, part.id]));
  const missing = parts.filter((part) => part.id === undefined && !known.has(part.name)).length;
  let next = missing === 0 ? 0 : await allocateIds(table, counter, missing);
  return parts.map((part) => ({ ...part, id: part.id ?? known.get(part.name) ?? next++ }));
}

async function desiredProduct(
  table: Table,
  given: CatalogueProduct,
  existing: ProductWithParts | undefined,
  groups: Groups,
  path: string,
  placeholder: string,
): Promise<DesiredProduct> {
  const id = given.id ?? existing?.product.id ?? (await allocateIds(table, 'product'));
  const milestone = given.default_milestone ?? given.milestones[0]?.name ?? placeholder;
  const releases =
    given.milestones.length > 0 ? given.milestones : [{ name: milestone, sort_key: 0, is_active: true }];
  const components: ComponentItem[] = await assignIds(
    table,
    'component',
    given.components,
    existing?.components ?? [],
  );
  const versions: ReleaseItem[] = await assignIds(table, 'version', given.versions, existing?.versions ?? []);
  const milestones: ReleaseItem[] = await assignIds(table, 'milestone', releases, existing?.milestones ?? []);
  const flagTypes = await assignIds(table, 'flagtype', given.flag_types, existing?.flagTypes ?? []);
  const desiredFlagTypes = flagTypes.map((type, index) =>
    desiredFlagType(type, components, groups, `${path}.flag_types[${index}]`),
  );
  // Existing parts that are not in the catalogue are kept.
  const parts: ProductParts = {
    components: merge(components, existing?.components),
    flagTypes: merge(desiredFlagTypes, existing?.flagTypes),
    milestones: merge(milestones, existing?.milestones),
    versions: merge(versions, existing?.versions),
  };
  const { components: _, flag_types: __, milestones: ___, versions: ____, ...fields } = given;
  const product = {
    ...fields,
    id,
    default_milestone: milestone,
    has_active_component: parts.components.some((part) => part.is_active),
    has_active_version: parts.versions.some((part) => part.is_active),
    group_controls: given.group_controls.map((control, index) => ({
      ...control,
      group: groups.named(control.group, `${path}.group_controls[${index}].group`).name,
    })),
  };
  return { product, ...parts };
}

function merge<T extends { id: number }>(desired: T[], existing: T[] = []): T[] {
  const ids = new Set(desired.map(({ id }) => id));
  return [...desired, ...existing.filter(({ id }) => !ids.has(id))];
}

function desiredFlagType(
  type: CatalogueProduct['flag_types'][number] & Identified,
  components: ComponentItem[],
  groups: Groups,
  path: string,
): FlagTypeItem {
  const group = (name: string | null, field: string) => {
    if (name === null) return null;
    const { id, name: spelled } = groups.named(name, `${path}.${field}`);
    return { id, name: spelled };
  };
  const names = type.components === undefined ? undefined : new Set(type.components);
  return {
    ...type,
    grant_group: group(type.grant_group, 'grant_group'),
    request_group: group(type.request_group, 'request_group'),
    components:
      names === undefined ? null : components.filter(({ name }) => names.has(name)).map(({ id }) => id),
  };
}
