import * as z from 'zod/mini';

/** How a group limits a product. DESIGN.md 4 (catalogue), REFERENCE.md 4 (select, enter). */
export const groupControl = z.object({
  group: z.string(),
  /** only members may enter bugs */
  entry: z.boolean(),
  /** MANDATORY: only members may select the product */
  membercontrol: z.enum(['NA', 'SHOWN', 'DEFAULT', 'MANDATORY']),
  /** only members may change its bugs */
  canedit: z.boolean(),
});
export type GroupControl = z.infer<typeof groupControl>;

const groupControls = z._default(z.array(groupControl), []);

export const productItem = z.object({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  classification: z.string(),
  is_active: z.boolean(),
  has_unconfirmed: z.boolean(),
  default_milestone: z.string(),
  has_active_component: z.boolean(),
  has_active_version: z.boolean(),
  group_controls: groupControls,
  /** counts the changes, so that none is made over another */
  revision: z.int(),
});
export type ProductItem = z.infer<typeof productItem>;

export const componentItem = z.object({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  default_assigned_to: z.string(),
  default_qa_contact: z.string(),
  sort_key: z.int(),
  is_active: z.boolean(),
});
export type ComponentItem = z.infer<typeof componentItem>;

/** A version or a milestone: both have the same shape. SPEC.md 2.3. */
export const releaseItem = z.object({
  id: z.int(),
  name: z.string(),
  sort_key: z.int(),
  is_active: z.boolean(),
});
export type ReleaseItem = z.infer<typeof releaseItem>;

const flagGroup = z.nullable(z.object({ id: z.int(), name: z.string() }));

export const flagTypeItem = z.object({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  target: z.enum(['bug', 'attachment']),
  cc_list: z.array(z.string()),
  sort_key: z.int(),
  is_active: z.boolean(),
  is_requestable: z.boolean(),
  is_requesteeble: z.boolean(),
  is_multiplicable: z.boolean(),
  grant_group: flagGroup,
  request_group: flagGroup,
  /** ids of the components that it applies to; null: all */
  components: z.nullable(z.array(z.int())),
});
export type FlagTypeItem = z.infer<typeof flagTypeItem>;

/** What listing products needs of each, and no more: 10,000 of them fit into one page of 1 MB. */
export const productIndexItem = z.object({
  id: z.int(),
  name: z.string(),
  /** as far as the product itself goes: active, with an active component and an active version */
  takes_bugs: z.boolean(),
  group_controls: groupControls,
});
export type ProductIndexEntry = z.infer<typeof productIndexItem>;

/** Whatever has a name, where nothing else of it is needed. */
export const namedItem = z.object({ pk: z.string(), sk: z.string(), name: z.string() });

/** A name's pointer to its product. */
export const productNameItem = z.object({ product_id: z.int(), name: z.string() });
export type ProductNameItem = z.infer<typeof productNameItem>;

export const classificationItem = z.object({ name: z.string(), description: z.string() });
export type ClassificationItem = z.infer<typeof classificationItem>;

/** A product with those of its parts that were asked for. */
export interface ProductWithParts {
  product: ProductItem;
  components: ComponentItem[];
  flagTypes: FlagTypeItem[];
  milestones: ReleaseItem[];
  versions: ReleaseItem[];
}

/** What the catalogue says of a product. */
export function productIndexEntry(product: ProductItem): ProductIndexEntry {
  return {
    id: product.id,
    name: product.name,
    takes_bugs: product.is_active && product.has_active_component && product.has_active_version,
    group_controls: product.group_controls,
  };
}
