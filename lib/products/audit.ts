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

/** The fields of something, with the names of the interface. */
type Shown = Readonly<Record<string, unknown>>;

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
  const controlsOf = (one?: AuditedProduct) =>
    one?.product.group_controls?.map((control) => ({ ...control, id: control.group, name: control.group }));
  return [
    ...changeOf('product', name, before && shownProduct(before.product), shownProduct(after.product)),
    ...partChanges('group control', name, controlsOf(before), controlsOf(after), shownControl),
    ...partChanges('component', name, before?.components, after.components, shownComponent),
    ...partChanges('version', name, before?.versions, after.versions, shownRelease),
    ...partChanges('milestone', name, before?.milestones, after.milestones, shownRelease),
    ...partChanges('flag type', name, before?.flagTypes, after.flagTypes, shownFlagType),
  ];
}

/** What differs between parts of one kind, by id; parts may come and go. */
function partChanges<T extends { id: number | string; name: string }>(
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

/** A change of one entity; none where nothing differs. */
function changeOf(
  kind: string,
  name: string,
  before: Shown | undefined,
  after: Shown | undefined,
): AuditChange[] {
  const fields: Record<string, Difference> = {};
  for (const field of Object.keys({ ...before, ...after })) {
    const [removed, added] = [textOf(before?.[field]), textOf(after?.[field])];
    if (removed !== added) fields[field] = { removed, added };
  }
  return Object.keys(fields).length === 0 ? [] : [{ kind, name, fields }];
}

/** A value as the audit log has it: booleans as `1` and `0`, lists with commas, what is absent as nothing. */
function textOf(value: unknown): string {
  if (typeof value === 'boolean') return bit(value);
  return Array.isArray(value) ? value.join(', ') : String(value ?? '');
}

function shownProduct({ is_active: is_open, ...product }: ProductContent): Shown {
  const { name, description, description_template, classification, default_milestone } = product;
  const { has_unconfirmed } = product;
  return {
    name,
    description,
    description_template,
    classification,
    default_milestone,
    has_unconfirmed,
    is_open,
  };
}

const shownControl = ({
  group: _,
  id: __,
  name: ___,
  ...values
}: GroupControl & { id: string; name: string }): Shown => values;

function shownComponent({
  is_active: is_open,
  default_assigned_to: default_assignee,
  ...one
}: ComponentItem): Shown {
  const { name, description, default_qa_contact, default_cc, sort_key } = one;
  return { name, description, default_assignee, default_qa_contact, default_cc, sort_key, is_open };
}

const shownRelease = ({ name, sort_key, is_active }: ReleaseItem): Shown => ({ name, sort_key, is_active });

function flagTypeFields(type: FlagTypeItem, componentNames: ReadonlyMap<number, string>): Shown {
  const namesOf = (ids: readonly number[]) => ids.map((id) => componentNames.get(id) ?? String(id));
  const { name, description, target: target_type, cc_list, sort_key: sortkey } = type;
  const { is_active, is_requestable, is_requesteeble: is_specifically_requestable, is_multiplicable } = type;
  return {
    ...{ name, description, target_type, cc_list, sortkey },
    ...{ is_active, is_requestable, is_specifically_requestable, is_multiplicable },
    grant_group: type.grant_group?.name,
    request_group: type.request_group?.name,
    inclusions: type.components === null ? '*' : namesOf(type.components),
    exclusions: namesOf(type.excluded_components),
  };
}
