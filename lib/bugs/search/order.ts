import type { KnownProducts } from '../../products/known-products.ts';
import { collate } from '../../text.ts';
import type { BugField } from '../fields/field.ts';
import { kindOf } from '../fields/kinds.ts';
import type { BugFields } from '../fields/registry.ts';
import { isChoice, type LegalValues, legalNames } from '../values.ts';
import { STATUSES } from '../workflow.ts';
import { canonical } from './compare.ts';
import { type SearchField, searchField } from './search-fields.ts';

/** What bugs are ordered by, besides their fields. */
export interface OrderContext {
  fields: BugFields;
  legal: LegalValues;
  isTimeTracker: boolean;
}

/** A column that bugs are ordered by. */
export interface OrderColumn {
  field: BugField;
  isDescending: boolean;
}

/** Names of columns that are no fields. */
const COLUMNS: ReadonlyMap<string, string> = new Map([
  ['changeddate', 'delta_ts'],
  ['opendate', 'creation_ts'],
  ['map_assigned_to.login_name', 'assigned_to'],
  ['map_reporter.login_name', 'reporter'],
  ['map_qa_contact.login_name', 'qa_contact'],
]);

/**
 * The columns of an `order`: names of fields, separated by commas, each perhaps with ` DESC`. Repeated and unknown ones,
 * lists of people, and what takes a read for each bug, are left out, but for names of people and numbers of comments.
 */
export function readOrder(given: string, { fields, isTimeTracker }: OrderContext): OrderColumn[] {
  const seen = new Set<BugField>();
  return given.split(',').flatMap((part): OrderColumn[] => {
    const [, name = '', direction = ''] = /^\s*(?:bugs\.)?(\S+)(?:\s+(asc|desc))?\s*$/i.exec(part) ?? [];
    const known = COLUMNS.get(name.toLowerCase()) ?? name.toLowerCase();
    const field = fields.named(known) ?? fields.shownAs(known);
    if (field === undefined || !kindOf(field).isOrdered || !isReadable(field)) return [];
    if (field.visibleTo === 'timetrackers' && !isTimeTracker) return [];
    if (seen.has(field)) return [];
    seen.add(field);
    return [{ field, isDescending: direction.toLowerCase() === 'desc' }];
  });
}

/** Fields that take further reads, by which Bugzilla's lists of bugs are ordered. */
const READ_BESIDE: ReadonlySet<string> = new Set([
  'assigned_to_realname',
  'reporter_realname',
  'qa_contact_realname',
  'longdescs.count',
]);

const isReadable = (field: BugField): boolean =>
  searchField(field)?.isCostly === false || READ_BESIDE.has(field.name);

/** What a bug is ordered by: the values of the columns, as comparable ones. */
type SortKeys = (string | number)[];

/** A bug to be ordered. */
interface Sortable {
  bug: { id: number; product_id: number; target_milestone: string };
}

/**
 * Orders bugs by columns, then by id; values that have a rank by that, the empty one first. Each value is read once.
 *
 * @param read the values of a bug in a field
 * @param products their milestones have sort keys
 */
export function sortBugs<T extends Sortable>(
  bugs: readonly T[],
  columns: readonly OrderColumn[],
  { legal }: OrderContext,
  read: (one: T, field: SearchField, name: string) => readonly string[],
  products: KnownProducts,
): T[] {
  const readers = columns.flatMap(({ field, isDescending }) => {
    const reader = searchField(field);
    const rank = rankOf(ranksOf(field, legal));
    return reader === undefined ? [] : [{ field, reader, rank, sign: isDescending ? -1 : 1 }];
  });
  const keysOf = (one: T): SortKeys =>
    readers.flatMap(({ field, reader, rank }) => {
      const text = read(one, reader, field.name).join(',');
      if (rank !== undefined) return [rank(text)];
      // Of several bugs the first; none is 0.
      const value =
        reader.comparison === 'number' ? Number.parseFloat(text) || 0 : canonical(reader.comparison, text);
      if (!hasSortKeys(field)) return [value];
      const { product_id, target_milestone } = one.bug;
      return [products.get(product_id)?.milestones.get(target_milestone) ?? 0, value];
    });
  const signs = readers.flatMap(({ field, sign }) => (hasSortKeys(field) ? [sign, sign] : [sign]));
  return bugs
    .map((one) => ({ one, keys: keysOf(one) }))
    .sort((a, b) => compareKeys(a.keys, b.keys, signs) || a.one.bug.id - b.one.bug.id)
    .map(({ one }) => one);
}

/** Milestones are ordered by their sort keys, then by name. */
const hasSortKeys = ({ values }: BugField): boolean => values === 'target_milestone';

function compareKeys(a: SortKeys, b: SortKeys, signs: readonly number[]): number {
  for (const [index, sign] of signs.entries()) {
    const [left = 0, right = 0] = [a[index], b[index]];
    if (left < right) return -sign;
    if (left > right) return sign;
  }
  return 0;
}

/** The values of a field in the order of their rank; undefined: they have none. */
function ranksOf(field: BugField, legal: LegalValues): readonly string[] | undefined {
  const { values, custom } = field;
  const { hasValues, given } = kindOf(field);
  if (custom !== undefined && hasValues && given === 'text') return custom.values.map(({ name }) => name);
  if (values === 'status') return STATUSES;
  return isChoice(values) ? legalNames(values, legal) : undefined;
}

/** The rank of a value; what has none comes last. */
function rankOf(values: readonly string[] | undefined): ((value: string) => number) | undefined {
  if (values === undefined) return undefined;
  const ranks = new Map(values.map((name, place) => [collate(name), place] as const).reverse());
  // Bugs have few different values.
  const known = new Map<string, number>();
  return (value) => {
    const rank = known.get(value) ?? ranks.get(collate(value)) ?? values.length;
    known.set(value, rank);
    return rank;
  };
}
