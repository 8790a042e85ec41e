import { bit, type Difference } from '../base/collections.ts';
import type { AuditChange } from '../people/audit/repository.ts';
import type {
  ComponentItem,
  FlagTypeItem,
  GroupControl,
  ProductContent,
  ProductItem,
  ProductParts,
  ReleaseItem,
} from './schema.ts';

/** A product with the parts that a change may concern. */
export interface AuditedProduct extends Partial<ProductParts> {
  product: ProductContent & Partial<Pick<ProductItem, 'group_controls'>>;
}

/** Who changes products over REST, for the audit log. */
export interface ProductAudit {
  /** login */
  who: string;
  /** such as `rest add component` */
  command: string;
}

type Shown = Readonly<Record<string, string>>;

/**
 * What differs between a product, its parts included, before and after a change. Parts are named with their product:
 * `Telescope / Mirror`.
 *
 * @param before undefined: a new product
 */
export function productAuditChanges(
  before: AuditedProduct | undefined,
  after: AuditedProduct,
): AuditChange[] {
  const { name } = after.product;
  const componentNames = new Map(
    [...(before?.components ?? []), ...(after.components ?? [])].map((one) => [one.id, one.name]),
  );
  const shownFlagType = (type: FlagTypeItem) => flagTypeFields(type, componentNames);
  return [
    ...changeOf('product', name, before && shownProduct(before.product), shownProduct(after.product)),
    ...controlChanges(name, before?.product.group_controls, after.product.group_controls),
    ...partChanges('component', name, before?.components, after.components, shownComponent),
    ...partChanges('version', name, before?.versions, after.versions, shownRelease),
    ...partChanges('milestone', name, before?.milestones, after.milestones, shownRelease),
    ...partChanges('flag type', name, before?.flagTypes, after.flagTypes, shownFlagType),
  ];
}

/** What differs between parts of one kind, by id; parts may come and go. */
function partChanges<T extends { id: number; name: string }>(
  kind: string,
  product: string,
  before: readonly T[] = [],
  after: readonly T[] = [],
  shown: (part: T) => Shown,
): AuditChange[] {
  const earlier = new Map(before.map((part) => [part.id, part]));
  const later = new Map(after.map((part) => [part.id, part]));
  return [...new Map([...earlier, ...later])].flatMap(([id, { name }]) => {
    const [old, current] = [earlier.get(id), later.get(id)];
    return changeOf(kind, `${product} / ${name}`, old && shown(old), current && shown(current));
  });
}

/** What differs between group controls, each named with its product. */
function controlChanges(
  product: string,
  before: readonly GroupControl[] = [],
  after: readonly GroupControl[] = [],
): AuditChange[] {
  const [earlier, later] = [before, after].map((all) => new Map(all.map((one) => [one.group, one])));
  return [...new Set([...before, ...after].map(({ group }) => group))].flatMap((group) => {
    const [old, current] = [earlier?.get(group), later?.get(group)];
    return changeOf('group control', `${product} / ${group}`, shownControl(old), shownControl(current));
  });
}

function shownControl(control: GroupControl | undefined): Shown | undefined {
  if (control === undefined) return undefined;
  const { group: _, ...values } = control;
  const shown = (value: string | boolean) => (typeof value === 'string' ? value : bit(value));
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, shown(value)]));
}

/** A change of one entity; none where nothing differs. */
function changeOf(
  kind: string,
  name: string,
  before: Shown | undefined,
  after: Shown | undefined,
): AuditChange[] {
  const fields: Record<string, Difference> = {};
  for (const field of Object.keys({ ...before, ...after })) {
    const [removed, added] = [before?.[field] ?? '', after?.[field] ?? ''];
    if (removed !== added) fields[field] = { removed, added };
  }
  return Object.keys(fields).length === 0 ? [] : [{ kind, name, fields }];
}

// Fields have the names of the interface.

const shownProduct = (product: ProductContent): Shown => ({
  name: product.name,
  description: product.description,
  description_template: product.description_template ?? '',
  classification: product.classification,
  default_milestone: product.default_milestone,
  has_unconfirmed: bit(product.has_unconfirmed),
  is_open: bit(product.is_active),
});

const shownComponent = (component: ComponentItem): Shown => ({
  name: component.name,
  description: component.description,
  default_assignee: component.default_assigned_to,
  default_qa_contact: component.default_qa_contact,
  default_cc: component.default_cc?.join(', ') ?? '',
  sort_key: String(component.sort_key),
  is_open: bit(component.is_active),
});

const shownRelease = (release: ReleaseItem): Shown => ({
  name: release.name,
  sort_key: String(release.sort_key),
  is_active: bit(release.is_active),
});

const groupName = (group: { name: string } | null): string => group?.name ?? '';

function flagTypeFields(type: FlagTypeItem, componentNames: ReadonlyMap<number, string>): Shown {
  const namesOf = (ids: readonly number[]) =>
    ids.map((id) => componentNames.get(id) ?? String(id)).join(', ');
  return {
    name: type.name,
    description: type.description,
    target_type: type.target,
    cc_list: type.cc_list.join(', '),
    sortkey: String(type.sort_key),
    is_active: bit(type.is_active),
    is_requestable: bit(type.is_requestable),
    is_specifically_requestable: bit(type.is_requesteeble),
    is_multiplicable: bit(type.is_multiplicable),
    grant_group: groupName(type.grant_group),
    request_group: groupName(type.request_group),
    inclusions: type.components === null ? '*' : namesOf(type.components),
    exclusions: namesOf(type.excluded_components),
  };
}
