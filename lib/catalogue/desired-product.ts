import { normalizeName } from '../base/text.ts';
import { type DesiredProduct, desiredFields } from '../products/document-repository.ts';
import {
  type ComponentItem,
  componentItem,
  type FlagTypeItem,
  flagTypeItem,
  type ProductWithParts,
  type ReleaseItem,
  releaseItem,
} from '../products/schema.ts';
import { storedTemplate } from '../products/validation.ts';
import type { IdAllocator } from '../table/counters.ts';
import type { CounterName } from '../table/keys.ts';
import { DEFAULT_VERSION, DEFAULTS, mergeFields } from './defaults.ts';
import type { GroupNamed } from './plan-groups.ts';
import type { CatalogueProduct } from './schema.ts';

export interface ProductBuilder {
  allocate: IdAllocator;
  groupNamed: GroupNamed;
  /** the milestone of a product that has none */
  placeholder: string;
  /** whether parts go that the catalogue does not have */
  isWhole: boolean;
}

/** A product as it should be. Fields and parts that the catalogue does not have are as they are, or the defaults. */
export async function desiredProduct(
  builder: ProductBuilder,
  given: CatalogueProduct,
  existing: ProductWithParts | undefined,
): Promise<DesiredProduct> {
  const { groupNamed, placeholder, isWhole } = builder;
  const id = given.id ?? existing?.product.id ?? (await builder.allocate('product'));
  const { components: _, flag_types: __, milestones, versions, group_controls, ...fields } = given;
  const { description_template = existing?.product.description_template ?? '', ...others } = fields;
  const default_milestone =
    given.default_milestone ?? existing?.product.default_milestone ?? milestones[0]?.name ?? placeholder;
  const releases = (counter: CounterName, all: CatalogueProduct['versions'], stored: ReleaseItem[] = []) =>
    desiredParts(builder, counter, {
      given: all,
      existing: stored,
      keyOf: nameKey,
      build: (one, known) => releaseItem.parse(mergeFields(DEFAULTS.release, known, one)),
    });
  const kept = isWhole ? undefined : existing;
  const hasMilestone = [...milestones, ...(kept?.milestones ?? [])].some(
    ({ name }) => normalizeName(name) === normalizeName(default_milestone),
  );
  const hasVersion = versions.length + (kept?.versions.length ?? 0) > 0;
  const components = await desiredParts<ComponentItem, CatalogueProduct['components'][number]>(
    builder,
    'component',
    {
      given: given.components,
      existing: existing?.components ?? [],
      keyOf: nameKey,
      build: (one, known) => componentItem.parse(mergeFields(DEFAULTS.component, known, one)),
    },
  );
  const parts = {
    components,
    flagTypes: await desiredParts<FlagTypeItem, CatalogueFlagType>(builder, 'flagtype', {
      given: given.flag_types,
      existing: existing?.flagTypes ?? [],
      keyOf: flagTypeKey,
      build: (type, known) => desiredFlagType(type, known, components, groupNamed),
    }),
    milestones: await releases(
      'milestone',
      hasMilestone ? milestones : [...milestones, { name: default_milestone }],
      existing?.milestones,
    ),
    versions: await releases(
      'version',
      hasVersion ? versions : [{ name: DEFAULT_VERSION }],
      existing?.versions,
    ),
  };
  const controls = group_controls?.map(({ group, ...control }) => ({
    ...control,
    group: groupNamed(group).name,
  }));
  const { description_template: _stored, ...known } = existing?.product ?? {};
  const product = desiredFields.parse({
    ...mergeFields(DEFAULTS.product, known, { ...others, group_controls: controls }),
    ...storedTemplate(description_template),
    id,
    default_milestone,
    has_active_component: parts.components.some((part) => part.is_active),
    has_active_version: parts.versions.some((part) => part.is_active),
  });
  return { product, ...parts };
}

/** The parts of one kind that a product has in the catalogue, and in the table. */
interface PartSources<T, G> {
  given: readonly G[];
  existing: readonly T[];
  /** distinguishes the parts of a product */
  keyOf: (part: T | G) => string;
  /** makes a part from its fields in the catalogue with its id, and the one in the table */
  build: (given: G & { id: number }, existing: T | undefined) => T;
}

/**
 * The parts as they should be, each with its id: that of the catalogue, of the part of that name in the table, or a new
 * one. Existing parts that the catalogue does not have are kept, unless it is whole.
 */
async function desiredParts<T extends { id: number; name: string }, G extends { id?: number | undefined }>(
  { allocate, isWhole }: ProductBuilder,
  counter: CounterName,
  { given, existing, keyOf, build }: PartSources<T, G>,
): Promise<T[]> {
  const byKey = new Map(existing.map((part) => [keyOf(part), part]));
  const byId = new Map(existing.map((part) => [part.id, part]));
  const missing = given.filter((part) => part.id === undefined && !byKey.has(keyOf(part))).length;
  let next = missing === 0 ? 0 : await allocate(counter, missing);
  const parts = given.map((part) => {
    const id = part.id ?? byKey.get(keyOf(part))?.id ?? next++;
    return build({ ...part, id }, byId.get(id));
  });
  const ids = new Set(parts.map(({ id }) => id));
  return isWhole ? parts : [...parts, ...existing.filter(({ id }) => !ids.has(id))];
}

type CatalogueFlagType = CatalogueProduct['flag_types'][number];

const nameKey = ({ name }: { name: string }): string => normalizeName(name);
/** A flag type for bugs and one for attachments may have the same name. */
const flagTypeKey = ({ name, target }: { name: string; target: string }): string =>
  `${target} ${normalizeName(name)}`;

function desiredFlagType(
  given: CatalogueFlagType & { id: number },
  existing: FlagTypeItem | undefined,
  components: readonly ComponentItem[],
  groupNamed: GroupNamed,
): FlagTypeItem {
  const group = (given: string | null | undefined) => {
    if (given === null || given === undefined) return given;
    const { id, name } = groupNamed(given);
    return { id, name };
  };
  const idsOf = (names: string[]) =>
    components.filter(({ name }) => names.includes(name)).map(({ id }) => id);
  return flagTypeItem.parse(
    mergeFields(DEFAULTS.flagType, existing, {
      ...given,
      grant_group: group(given.grant_group),
      request_group: group(given.request_group),
      components: given.components && idsOf(given.components),
      excluded_components: given.excluded_components && idsOf(given.excluded_components),
    }),
  );
}
