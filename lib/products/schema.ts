import * as z from 'zod/mini';
import { type Caller, isInGroup } from '../people/caller.ts';
import { extensibleObject } from '../table/extensible-object.ts';

/** How bugs of a product are in a group. */
export const CONTROLS = ['NA', 'SHOWN', 'DEFAULT', 'MANDATORY'] as const;

/** The rights that a group may give its members for one product: the groups of these names give them for all. */
export const PRODUCT_RIGHTS = ['editcomponents', 'editbugs', 'canconfirm'] as const;
export type ProductRight = (typeof PRODUCT_RIGHTS)[number];

/** The switches of a group control. */
export const CONTROL_SWITCHES = ['entry', 'canedit', ...PRODUCT_RIGHTS] as const;

/** What a group means for a product; versions before 1.3.0 know `entry`, `membercontrol` and `canedit` alone. */
export const groupControl = z.object({
  group: z.string(),
  /** only members may enter bugs */
  entry: z.boolean(),
  /** of bugs of members; MANDATORY: only members may select the product */
  membercontrol: z.enum(CONTROLS),
  /** of bugs of others; earlier versions stored none beside MANDATORY, which implies it */
  othercontrol: z._default(z.enum(CONTROLS), 'NA'),
  /** only members may edit its bugs */
  canedit: z.boolean(),
  /** members may edit the product */
  editcomponents: z._default(z.boolean(), false),
  /** members may change every bug of the product that they see */
  editbugs: z._default(z.boolean(), false),
  /** members may confirm its bugs */
  canconfirm: z._default(z.boolean(), false),
});
export type GroupControl = z.infer<typeof groupControl>;

const groupControls = z._default(
  z.array(
    z.pipe(
      groupControl,
      z.transform((control) =>
        control.membercontrol === 'MANDATORY' ? { ...control, othercontrol: 'MANDATORY' as const } : control,
      ),
    ),
  ),
  [],
);

/** What the product index has of a group control: what listing products needs. */
const indexedControl = z.pick(groupControl, {
  group: true,
  entry: true,
  membercontrol: true,
  canedit: true,
});

/**
 * The fields of a product that responses have as they are stored. The catalogue and the OpenAPI document derive from
 * them; a field that is added later needs a default, for items that were stored without it.
 */
export const productFields = {
  id: z.int(),
  name: z.string(),
  description: z.string(),
  is_active: z.boolean(),
  default_milestone: z.string(),
  has_unconfirmed: z.boolean(),
  classification: z.string(),
};

export const componentItem = extensibleObject({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  /** a login */
  default_assigned_to: z.string(),
  /** a login; empty: none */
  default_qa_contact: z.string(),
  /** logins; absent: none */
  default_cc: z.optional(z.array(z.string())),
  sort_key: z.int(),
  is_active: z.boolean(),
});
export type ComponentItem = z.infer<typeof componentItem>;

/** The attributes of a new component where nothing is given. */
export const EMPTY_COMPONENT = {
  description: '',
  default_assigned_to: '',
  default_qa_contact: '',
  sort_key: 0,
  is_active: true,
};

/** The fields of a version or a milestone, which have the same shape. */
export const releaseFields = {
  id: z.int(),
  name: z.string(),
  sort_key: z.int(),
  is_active: z.boolean(),
};
export const releaseItem = extensibleObject(releaseFields);
export type ReleaseItem = z.infer<typeof releaseItem>;

/** Of the name of a flag type, in characters. */
export const MAX_FLAG_TYPE_NAME_LENGTH = 50;

/** The fields of a flag type that responses have as they are stored. */
export const flagTypeFields = {
  id: z.int(),
  name: z.string(),
  description: z.string(),
  sort_key: z.int(),
  is_active: z.boolean(),
  is_requestable: z.boolean(),
  is_requesteeble: z.boolean(),
  is_multiplicable: z.boolean(),
};
const flagGroup = z.nullable(z.object({ id: z.int(), name: z.string() }));

export const flagTypeItem = extensibleObject({
  ...flagTypeFields,
  target: z.enum(['bug', 'attachment']),
  /** logins */
  cc_list: z.array(z.string()),
  grant_group: flagGroup,
  request_group: flagGroup,
  /** ids of the components that it applies to; null: all */
  components: z.nullable(z.array(z.int())),
  /** ids of the components that it does not apply to */
  excluded_components: z._default(z.array(z.int()), []),
});
export type FlagTypeItem = z.infer<typeof flagTypeItem>;

/** The parts of a product. */
export const productParts = z.object({
  components: z.array(componentItem),
  flagTypes: z.array(flagTypeItem),
  milestones: z.array(releaseItem),
  versions: z.array(releaseItem),
});
export type ProductParts = z.infer<typeof productParts>;

/** A stored product: see document.ts for its parts. */
export const productItem = z.object({
  ...productFields,
  has_active_component: z.boolean(),
  has_active_version: z.boolean(),
  group_controls: groupControls,
  /** what the description of a new bug begins with on the page; absent: nothing */
  description_template: z.optional(z.string()),
  /** number of writes: for optimistic locking */
  revision: z.int(),
  /** JSON of ProductParts: those that fit into this item */
  parts: z.string(),
  /** the token in the keys of further items with parts, and their number */
  further_parts: z.object({ token: z.string(), items: z.int() }),
});
export type ProductItem = z.infer<typeof productItem>;

/** What productFields describes. */
export type ProductFields = Pick<ProductItem, keyof typeof productFields>;

/** The same with the template of descriptions, which is optional. */
export interface ProductContent extends ProductFields, Pick<ProductItem, 'description_template'> {}

/** A further item with parts of a product. */
export const productPartsItem = z.object({
  /** JSON of ProductParts */
  parts: z.string(),
});

/** A product with its parts. */
export interface ProductWithParts extends ProductParts {
  product: ProductItem;
}

/** An entry of the product index: what listing needs. 10,000 of them fit into one page of 1 MB. */
export const productIndexItem = z.object({
  id: z.int(),
  name: z.string(),
  /** active, with an active component and an active version */
  takes_bugs: z.boolean(),
  group_controls: z._default(z.array(indexedControl), []),
  /** names of the groups whose members may edit the product; absent: none, or an earlier version wrote the entry */
  editors: z.optional(z.array(z.string())),
  /** of the product: a cached product is current while its revision is this one; absent in older entries */
  revision: z.optional(z.int()),
});
export type ProductIndexEntry = z.infer<typeof productIndexItem>;

/** The fields of responses that the product index has. */
export const INDEX_FIELDS: ReadonlySet<string> = new Set(
  Object.keys(productIndexItem.shape).filter((field) => field in productFields),
);

/** The index entry of a product. */
export function productIndexEntry(product: ProductItem): ProductIndexEntry {
  const editors = product.group_controls.filter((one) => one.editcomponents).map(({ group }) => group);
  return {
    id: product.id,
    name: product.name,
    takes_bugs: product.is_active && product.has_active_component && product.has_active_version,
    group_controls: product.group_controls.map((control) => indexedControl.parse(control)),
    ...(editors.length === 0 ? {} : { editors }),
    revision: product.revision,
  };
}

/** Pointer from a name to the product. */
export const productNameItem = z.object({ product_id: z.int(), name: z.string() });
export type ProductNameItem = z.infer<typeof productNameItem>;

export const classificationItem = z.object({
  /** 0 for items that were stored without it, until the catalogue is applied again */
  id: z._default(z.int(), 0),
  name: z.string(),
  description: z.string(),
});
export type ClassificationItem = z.infer<typeof classificationItem>;

/** Whether an update can change a field of a product. */
const UPDATABLE = {
  id: false,
  name: true,
  description: true,
  is_active: true,
  default_milestone: true,
  has_unconfirmed: true,
  classification: false,
} as const satisfies Record<keyof ProductFields, boolean>;

export type UpdatableField =
  | {
      [F in keyof typeof UPDATABLE]: (typeof UPDATABLE)[F] extends true ? F : never;
    }[keyof typeof UPDATABLE]
  | typeof TEMPLATE;

/** A field that responses have only of products that have it: Bugzilla 5.2 does not know it. */
const TEMPLATE = 'description_template';

const isUpdatable = (field: string): field is UpdatableField =>
  field === TEMPLATE || Object.entries(UPDATABLE).some(([name, can]) => name === field && can);

/** The fields of a product that an update can change. */
export const UPDATABLE_FIELDS: readonly UpdatableField[] = [...Object.keys(UPDATABLE), TEMPLATE].filter(
  isUpdatable,
);

/** The name of a field in the changes of a response. */
export const responseName = (field: UpdatableField): string => (field === 'is_active' ? 'is_open' : field);

/** Whether flags of a type may be set in a component. */
const isAvailable = (
  { target, components, excluded_components }: FlagTypeItem,
  wanted: FlagTypeItem['target'],
  component: number,
): boolean =>
  target === wanted &&
  (components === null || components.includes(component)) &&
  !excluded_components.includes(component);

/** The types of a product whose flags may be set in a component, inactive ones included. */
export const availableTypes = (
  types: readonly FlagTypeItem[],
  target: FlagTypeItem['target'],
  component: number,
): FlagTypeItem[] => types.filter((type) => isAvailable(type, target, component));

/** The types of the flags that attachments of a bug may have. */
export const attachmentFlagTypes = (
  { product_id, component_id }: { product_id: number; component_id: number },
  { products }: { products: ReadonlyMap<number, { flagTypes: readonly FlagTypeItem[] }> },
): FlagTypeItem[] => availableTypes(products.get(product_id)?.flagTypes ?? [], 'attachment', component_id);

/** Whether a caller may give flags of a type a status. */
export function maySet(
  type: Pick<FlagTypeItem, 'grant_group' | 'request_group'> | undefined,
  status: string,
  caller: Caller,
): boolean {
  const groups =
    status === '?' && type?.request_group ? [type.request_group, type.grant_group] : [type?.grant_group];
  if (status === '?' && !type?.request_group) return true;
  return groups.some((group) => group === null || group === undefined || isInGroup(caller, group.name));
}
