import type { FieldSelection } from '../base/field-selection.ts';
import { compareCollated, compareNaturally } from '../base/text.ts';
import {
  availableTypes,
  type ComponentItem,
  type FlagTypeItem,
  flagTypeFields,
  type ProductIndexEntry,
  type ProductWithParts,
  productFields,
  type ReleaseItem,
  releaseFields,
} from './schema.ts';

type JsonObject = Record<string, unknown>;

/** The fields of a product that are made from its parts. */
export const PART_FIELDS = ['components', 'versions', 'milestones'] as const;

const STORED_FIELDS = Object.keys(productFields);
/** Only of products that have one: Bugzilla 5.2 does not know it. */
const TEMPLATE = 'description_template';
const STORED_FLAG_TYPE_FIELDS = Object.keys(flagTypeFields);
const COMPONENT_NAMES = [
  ...['id', 'name'],
  ...['description', 'default_assigned_to', 'default_qa_contact'],
  ...['sort_key', 'is_active'],
];
const STORED_RELEASE_FIELDS = Object.keys(releaseFields);

/** Names of all fields of a product. */
export const PRODUCT_FIELDS: readonly string[] = [...STORED_FIELDS, TEMPLATE, ...PART_FIELDS];

/** The representation of a product in responses, with the selected fields. */
export function presentProduct(
  { product, components, flagTypes, milestones, versions }: ProductWithParts,
  fields: FieldSelection,
): JsonObject {
  // Once for all components.
  const sortedTypes = flagTypes.toSorted(bySortKey(compareCollated));
  return fields.pick({
    ...pickFields(product, [...STORED_FIELDS, TEMPLATE]),
    components: components
      .toSorted(bySortKey(compareCollated))
      .map((component) => presentComponent(component, sortedTypes, fields.within('components'))),
    versions: versions
      .toSorted(bySortKey(compareNaturally))
      .map((version) => presentRelease(version, fields.within('versions'))),
    milestones: milestones
      .toSorted(bySortKey(compareCollated))
      .map((milestone) => presentRelease(milestone, fields.within('milestones'))),
  });
}

/** The selected fields of a product of which only the index entry was read. */
export const presentIndexEntry = (entry: ProductIndexEntry, fields: FieldSelection): JsonObject =>
  fields.pick(pickFields(entry, STORED_FIELDS));

interface Sorted {
  sort_key: number;
  name: string;
}

const bySortKey = (compare: (a: string, b: string) => number) => (a: Sorted, b: Sorted) =>
  a.sort_key - b.sort_key || compare(a.name, b.name);

/** The fields of an item that responses have as they are stored. */
function pickFields(item: JsonObject, names: readonly string[]): JsonObject {
  const picked: JsonObject = {};
  for (const name of names) if (name in item) picked[name] = item[name];
  return picked;
}

/** @param flagTypes of the product, ordered */
function presentComponent(
  stored: ComponentItem,
  flagTypes: FlagTypeItem[],
  fields: FieldSelection,
): JsonObject {
  const component = pickFields(stored, COMPONENT_NAMES);
  if (!fields.has('flag_types')) return fields.pick(component);
  const of = (target: FlagTypeItem['target']) =>
    availableTypes(flagTypes, target, stored.id).map(presentFlagType);
  return fields.pick({ ...component, flag_types: { bug: of('bug'), attachment: of('attachment') } });
}

const presentRelease = (release: ReleaseItem, fields: FieldSelection): JsonObject =>
  fields.pick(pickFields(release, STORED_RELEASE_FIELDS));

const presentFlagType = (type: FlagTypeItem): JsonObject => ({
  ...pickFields(type, STORED_FLAG_TYPE_FIELDS),
  cc_list: type.cc_list.join(', '),
  grant_group: type.grant_group?.id ?? null,
  request_group: type.request_group?.id ?? null,
});
