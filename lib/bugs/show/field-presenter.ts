import { collate, compareNaturally } from '../../base/text.ts';
import type { ProductWithParts, ReleaseItem } from '../../products/schema.ts';
import type { BugField } from '../fields/field.ts';
import { kindOf } from '../fields/kinds.ts';
import type { KeywordItem } from '../schema.ts';
import { isChoice, type LegalValues, legalNames } from '../values.ts';
import type { Transition, Workflow } from '../workflow.ts';

/** What the values of fields follow from. */
export interface FieldSources {
  legal: LegalValues;
  workflow: Workflow;
  keywords: readonly KeywordItem[];
  /** those whose bugs the caller may search, ordered by id */
  products: readonly ProductWithParts[];
}

type View = Record<string, unknown>;

/** The fields whose values are parts of a product, with these parts in order. */
const PRODUCT_PARTS = {
  component: ({ components }: ProductWithParts) => components.toSorted(byName),
  version: ({ versions }: ProductWithParts) => versions.toSorted((a, b) => a.id - b.id),
  target_milestone: ({ milestones }: ProductWithParts) => milestones.toSorted(byName),
} as const;
const isProductPart = (values: string | undefined): values is keyof typeof PRODUCT_PARTS =>
  values !== undefined && Object.hasOwn(PRODUCT_PARTS, values);

/** Names regardless of case and accents, as Bugzilla's database orders them. */
export const byName = (a: { name: string }, b: { name: string }): number => {
  const [left, right] = [collate(a.name), collate(b.name)];
  return left < right ? -1 : left > right ? 1 : 0;
};
const bySortKey = (a: { sort_key: number }, b: { sort_key: number }) => a.sort_key - b.sort_key;

/** Whether a field's values are parts of a product. */
export const isProductField = ({ values }: BugField): boolean => isProductPart(values);

/** Whether describing a field takes the products. */
export const needsProducts = ({ values, custom }: BugField): boolean =>
  isProductPart(values) || values === 'classification' || shownInPlaces(custom);

/** Whether a custom field is shown in products, components or classifications only. */
const shownInPlaces = (custom: BugField['custom']): boolean =>
  ['product', 'component', 'classification'].includes(custom?.visibility_field ?? '');

/** A field of bugs in the interface, with the values that it may have. */
export function presentField(field: BugField, sources: FieldSources): View {
  const values = valuesOf(field, sources);
  const { custom } = field;
  return {
    id: field.id,
    name: field.name,
    display_name: field.title,
    type: field.type,
    is_custom: custom !== undefined,
    is_mandatory: field.isMandatory,
    is_on_bug_entry: custom?.is_on_bug_entry ?? false,
    visibility_field: custom?.visibility_field ?? null,
    visibility_values: visibilityValues(custom, sources).sort(),
    ...(values === undefined ? {} : { value_field: isProductField(field) ? 'product' : null, values }),
  };
}

/** The names of the values with which a custom field is shown, without those that only hidden products have. */
function visibilityValues(custom: BugField['custom'], { products }: FieldSources): string[] {
  const values = (custom?.visibility_values ?? []).map((value) => [value].flat());
  if (!shownInPlaces(custom)) return values.flat();
  const known = products.flatMap(({ product, components }) =>
    [product, ...components].map(({ name }) => name),
  );
  const names = new Set([...known, ...products.map(({ product }) => product.classification)]);
  return values.filter(([place = '']) => names.has(place)).flatMap((value) => value.at(-1) ?? []);
}

function valuesOf(
  field: BugField,
  { legal, workflow, keywords, products }: FieldSources,
): View[] | undefined {
  const { values, custom } = field;
  if (custom !== undefined && !kindOf(field).hasValues) return undefined;
  if (custom !== undefined) {
    // 5.2 does not say it of custom fields.
    return custom.values.map(({ name, sort_key, is_active }) => ({
      ...value(name, sort_key),
      ...(is_active ? {} : { is_active }),
    }));
  }
  if (isChoice(values)) return ranked(legalNames(values, legal));
  if (values === 'status') return statusValues(workflow);
  if (values === 'keywords') {
    return keywords.toSorted(byName).map(({ name, description }) => ({ name, description }));
  }
  if (values === 'classification') {
    const names = new Set(products.map(({ product }) => product.classification));
    return [...names].map((name) => value(name, 0)).sort(byName);
  }
  if (!isProductPart(values)) return undefined;
  return products
    .flatMap((all) => PRODUCT_PARTS[values](all).map((part) => ({ part, product: all.product.name })))
    .sort((a, b) => bySortKey(a.part, b.part) || (values === 'target_milestone' ? byName(a.part, b.part) : 0))
    .map(({ part, product }) => ({
      ...value(part.name, part.sort_key, [product]),
      is_active: part.is_active,
    }));
}

const value = <N extends string | null>(name: N, sort_key: number, visibility_values: string[] = []) => ({
  name,
  sort_key,
  sortkey: sort_key,
  visibility_values,
});

const RANK_STEP = 100;
const ranked = (names: readonly string[]): View[] =>
  names.map((name, index) => value(name, (index + 1) * RANK_STEP));

/** The first is the status of a new bug. */
function statusValues({ statuses, initial, next }: Workflow): View[] {
  const status = (name: string | null, rank: number, isOpen: boolean, to: readonly Transition[]): View => ({
    ...value(name, rank),
    is_open: isOpen,
    can_change_to: to.map(({ name: other, comment_required }) => ({ name: other, comment_required })),
  });
  return [
    status(null, 0, true, initial),
    ...statuses.map(({ name, is_open }, index) => status(name, (index + 1) * RANK_STEP, is_open, next(name))),
  ];
}

/** The names of a field's legal values; undefined: it has no list of them, or only within a product. */
export function globalValues(
  field: BugField,
  { legal, workflow }: Pick<FieldSources, 'legal' | 'workflow'>,
): readonly string[] | undefined {
  const { values, custom } = field;
  if (custom !== undefined) {
    const active = custom.values.filter(({ is_active }) => is_active).map(({ name }) => name);
    return kindOf(field).hasValues && !custom.is_obsolete ? active : undefined;
  }
  if (values === 'status') return workflow.names;
  return isChoice(values) ? legalNames(values, legal) : undefined;
}

/** The names of a field's values in a product; undefined: they are not parts of a product. */
export function productValues({ values }: BugField, product: ProductWithParts): string[] | undefined {
  if (!isProductPart(values)) return undefined;
  const parts: Pick<ReleaseItem, 'name' | 'sort_key'>[] = PRODUCT_PARTS[values](product);
  const byVersion = (a: { name: string }, b: { name: string }) =>
    values === 'version' ? compareNaturally(a.name, b.name) : 0;
  return parts.toSorted((a, b) => bySortKey(a, b) || byVersion(a, b)).map((part) => part.name);
}
