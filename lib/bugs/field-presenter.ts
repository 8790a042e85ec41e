import type { ProductWithParts, ReleaseItem } from '../products/schema.ts';
import type { BugField, FieldName } from './fields.ts';
import type { KeywordItem } from './schema.ts';
import { collate } from './search/compare.ts';
import type { ChoiceField, LegalValues } from './values.ts';
import { INITIAL_STATUSES, isOpenStatus, nextStatuses, STATUSES } from './workflow.ts';

/** What the values of fields follow from. */
export interface FieldSources {
  legal: LegalValues;
  keywords: readonly KeywordItem[];
  /** those whose bugs the caller may search, ordered by id */
  products: readonly ProductWithParts[];
}

type View = Record<string, unknown>;

const MANDATORY: ReadonlySet<FieldName> = new Set(['short_desc', 'product', 'version', 'component']);

/** The fields with one of a list of values that the deployment sets. */
const CHOICES: Partial<Record<FieldName, ChoiceField>> = {
  priority: 'priority',
  bug_severity: 'severity',
  rep_platform: 'platform',
  op_sys: 'op_sys',
  resolution: 'resolution',
};

/** The fields whose values are parts of a product. */
const PRODUCT_PARTS = {
  component: ({ components }: ProductWithParts) => components.toSorted(byName),
  version: ({ versions }: ProductWithParts) => versions.toSorted((a, b) => a.id - b.id),
  target_milestone: ({ milestones }: ProductWithParts) => milestones.toSorted(byName),
} as const;
type ProductField = keyof typeof PRODUCT_PARTS;

const byName = (a: { name: string }, b: { name: string }) => {
  const [left, right] = [collate(a.name), collate(b.name)];
  return left < right ? -1 : left > right ? 1 : 0;
};
const bySortKey = (a: { sort_key: number }, b: { sort_key: number }) => a.sort_key - b.sort_key;

/** Whether a field's values are parts of a product. */
export const isProductField = (name: FieldName): name is ProductField => Object.hasOwn(PRODUCT_PARTS, name);

/** Whether describing a field takes the products. */
export const needsProducts = (name: FieldName): boolean => isProductField(name) || name === 'classification';

/** A field of bugs in the interface, with the values that it may have. */
export function presentField({ id, name, title, type }: BugField, sources: FieldSources): View {
  const values = valuesOf(name, sources);
  return {
    id,
    name,
    display_name: title,
    type,
    is_custom: false,
    is_mandatory: MANDATORY.has(name),
    is_on_bug_entry: false,
    visibility_field: null,
    visibility_values: [],
    ...(values === undefined ? {} : { value_field: isProductField(name) ? 'product' : null, values }),
  };
}

function valuesOf(name: FieldName, { legal, keywords, products }: FieldSources): View[] | undefined {
  const choice = CHOICES[name];
  if (choice !== undefined) return ranked(legalNames(choice, legal));
  if (name === 'bug_status') return statusValues();
  if (name === 'keywords') {
    return keywords.toSorted(byName).map(({ name, description }) => ({ name, description }));
  }
  if (name === 'classification') {
    const names = [...new Set(products.map(({ product }) => product.classification))].map((name) => ({
      name,
    }));
    return names.sort(byName).map(({ name }) => value(name, 0));
  }
  if (!isProductField(name)) return undefined;
  return products
    .flatMap((all) => PRODUCT_PARTS[name](all).map((part) => ({ part, product: all.product.name })))
    .sort((a, b) => bySortKey(a.part, b.part) || (name === 'target_milestone' ? byName(a.part, b.part) : 0))
    .map(({ part, product }) => ({
      ...value(part.name, part.sort_key, [product]),
      is_active: part.is_active,
    }));
}

const value = (name: string | null, sort_key: number, visibility_values: string[] = []): View => ({
  name,
  sort_key,
  sortkey: sort_key,
  visibility_values,
});

const RANK_STEP = 100;
const ranked = (names: readonly string[]): View[] =>
  names.map((name, index) => value(name, (index + 1) * RANK_STEP));

/** The first is the status of a new bug. */
function statusValues(): View[] {
  const status = (name: string | null, rank: number, isOpen: boolean, next: readonly string[]): View => ({
    ...value(name, rank),
    is_open: isOpen,
    can_change_to: next.map((to) => ({ name: to, comment_required: false })),
  });
  return [
    status(null, 0, true, INITIAL_STATUSES),
    ...STATUSES.map((name, index) =>
      status(name, (index + 1) * RANK_STEP, isOpenStatus(name), nextStatuses(name)),
    ),
  ];
}

const legalNames = (choice: ChoiceField, legal: LegalValues): string[] =>
  choice === 'resolution' ? ['', ...legal.resolution] : legal[choice];

/** The names of a field's legal values; undefined: it has no list of them, or only within a product. */
export function globalValues(name: FieldName, legal: LegalValues): readonly string[] | undefined {
  if (name === 'bug_status') return STATUSES;
  const choice = CHOICES[name];
  return choice === undefined ? undefined : legalNames(choice, legal);
}

/** The names of a field's values in a product. */
export function productValues(name: ProductField, product: ProductWithParts): string[] {
  const parts: Pick<ReleaseItem, 'name' | 'sort_key'>[] = PRODUCT_PARTS[name](product);
  return parts.toSorted(bySortKey).map((part) => part.name);
}
