import { collate } from '../base/text.ts';
import type { BugField } from '../bugs/fields/field.ts';
import { kindOf } from '../bugs/fields/kinds.ts';
import { isChoice, legalNames } from '../bugs/values.ts';
import type { KnownProducts } from '../products/place.ts';
import { sortKey } from './conditions/compare.ts';
import type { SearchContext } from './conditions/search-context.ts';
import { searchField } from './conditions/search-fields.ts';
import { byValue, type SearchedBug } from './conditions/searched-bug.ts';

/** What bugs are ordered by, besides their fields. */
export type OrderContext = Pick<SearchContext, 'fields' | 'legal' | 'workflow' | 'isTimeTracker'>;

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

/** The orders of Bugzilla's lists by their names. */
const LIST_ORDERS: ReadonlyMap<string, string> = new Map([
  ['Bug Number', 'bug_id'],
  ['Importance', 'priority,bug_severity'],
  ['Assignee', 'assigned_to,bug_status,priority,bug_id'],
  ['Last Changed', 'changeddate,bug_status,priority,assigned_to,bug_id'],
]);
const DEFAULT_LIST_ORDER = 'bug_status,priority,assigned_to,bug_id';

/** The `order` that the `order` of a list means, which may be a name. The empty one, and the last one used, are Bugzilla's default. */
export const listOrder = (given: string): string =>
  given.trim() === '' || /^reuse/i.test(given) ? DEFAULT_LIST_ORDER : (LIST_ORDERS.get(given) ?? given);

/**
 * The columns of an `order`: names of fields, separated by commas, each perhaps with ` DESC`. Repeated and unknown ones,
 * lists of people, and what takes a read for each bug, are left out, but for names of people and numbers of comments.
 */
export function readOrder(given: string, { fields, isTimeTracker }: OrderContext): OrderColumn[] {
  const seen = new Set<BugField>();
  return given.split(',').flatMap((part): OrderColumn[] => {
    const { field, direction } = columnOf(part, fields);
    if (field === undefined || !kindOf(field).isOrdered || !isReadable(field)) return [];
    if (field.visibleTo === 'timetrackers' && !isTimeTracker) return [];
    if (seen.has(field)) return [];
    seen.add(field);
    return [{ field, isDescending: direction.toLowerCase() === 'desc' }];
  });
}

/** The columns of an `order` that no field has. */
export const unknownColumns = (given: string, { fields }: Pick<OrderContext, 'fields'>): string[] =>
  given.split(',').flatMap((part) => {
    const { name, field } = columnOf(part, fields);
    return part.trim() === '' || field !== undefined ? [] : [`order ${name || part.trim()}`];
  });

function columnOf(part: string, fields: OrderContext['fields']) {
  const [, name = '', direction = ''] = /^\s*(?:bugs\.)?(\S+)(?:\s+(asc|desc))?\s*$/i.exec(part) ?? [];
  const known = COLUMNS.get(name.toLowerCase()) ?? name.toLowerCase();
  return { name, direction, field: fields.named(known) ?? fields.shownAs(known) };
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
type SortKeys = readonly (string | number)[];

/** How bugs are ordered. */
interface Ordering<T> {
  columns: readonly OrderColumn[];
  context: OrderContext;
  /** their milestones have sort keys */
  products: KnownProducts;
  bugOf(one: T): SearchedBug;
  /** the values of a bug in a column that were read before; undefined: the bug has them */
  valuesOf?(one: T, column: OrderColumn): readonly string[] | undefined;
  /** how many are wanted; absent: all */
  count?: number | undefined;
}

/** The first bugs in the order of columns, then by id; values that have a rank by that, the empty one first. */
export function sortBugs<T>(
  all: readonly T[],
  { columns, context, products, bugOf, valuesOf = () => undefined, count = all.length }: Ordering<T>,
): T[] {
  const keysIn = columns.map((column) => {
    const keyOf = keysOf(column, context, products);
    return (one: T) => keyOf(bugOf(one), valuesOf(one, column));
  });
  const signs = columns.flatMap(({ field, isDescending }) => {
    const sign = isDescending ? -1 : 1;
    return hasSortKeys(field) ? [sign, sign] : [sign];
  });
  const keyed = (one: T): Keyed<T> => ({
    one,
    id: bugOf(one).id,
    keys: keysIn.flatMap((keys) => keys(one)),
  });
  const compare = (a: Keyed<T>, b: Keyed<T>) => compareKeys(a.keys, b.keys, signs) || a.id - b.id;
  let first: Keyed<T>[] = [];
  let last: Keyed<T> | undefined;
  // The latest bugs come last, and are the first of many in a descending order.
  const sequence = columns[0]?.isDescending === true ? all.toReversed() : all;
  for (const one of sequence) {
    // Most of many are not among the first by the first column already.
    const keys = keysIn[0]?.(one) ?? [];
    if (last !== undefined && compareKeys(keys, last.keys, signs) > 0) continue;
    first.push(keyed(one));
    if (first.length <= 2 * count) continue;
    first = first.sort(compare).slice(0, count);
    last = first.at(-1);
  }
  return first
    .sort(compare)
    .slice(0, count)
    .map(({ one }) => one);
}

/** A bug with what it is ordered by. */
interface Keyed<T> {
  one: T;
  id: number;
  keys: SortKeys;
}

/** The sort keys of bugs in a column. @returns a function of a bug, and its values if they were read before */
function keysOf(
  { field }: OrderColumn,
  context: OrderContext,
  products: KnownProducts,
): (bug: SearchedBug, values: readonly string[] | undefined) => SortKeys {
  const reader = searchField(field);
  if (reader === undefined) return () => [];
  const rank = rankOf(ranksOf(field, context));
  const keyOf = (values: readonly string[]): string | number => {
    const text = values.join(',');
    if (rank !== undefined) return rank(text);
    // Of several bugs the first; none is 0.
    return reader.comparison === 'number' ? Number.parseFloat(text) || 0 : sortKey(reader.comparison, text);
  };
  const ofBug = (bug: SearchedBug) => {
    const values = reader.read(bug);
    return [keyOf(values instanceof Promise || values === undefined ? [] : values)];
  };
  const known = reader.attribute === undefined ? ofBug : byValue(reader.attribute, ofBug);
  if (!hasSortKeys(field)) return (bug, values) => (values === undefined ? known(bug) : [keyOf(values)]);
  return (bug) => {
    const { milestones } = products.get(Number(bug.value('product_id'))) ?? {};
    return [milestones?.get(String(bug.value('target_milestone'))) ?? 0, ...known(bug)];
  };
}

/** Milestones are ordered by their sort keys, then by name. */
const hasSortKeys = ({ values }: BugField): boolean => values === 'target_milestone';

/** Compares as many keys as the first has. */
function compareKeys(a: SortKeys, b: SortKeys, signs: readonly number[]): number {
  for (let index = 0; index < a.length; index += 1) {
    const [left = 0, right = 0, sign = 1] = [a[index], b[index], signs[index]];
    if (left < right) return -sign;
    if (left > right) return sign;
  }
  return 0;
}

/** The values of a field in the order of their rank; undefined: they have none. */
function ranksOf(field: BugField, { legal, workflow }: OrderContext): readonly string[] | undefined {
  const { values, custom } = field;
  const { hasValues, given } = kindOf(field);
  if (custom !== undefined && hasValues && given === 'text') return custom.values.map(({ name }) => name);
  if (values === 'status') return workflow.names;
  return isChoice(values) ? legalNames(values, legal) : undefined;
}

/** The rank of a value; what has none comes last. */
function rankOf(values: readonly string[] | undefined): ((value: string) => number) | undefined {
  if (values === undefined) return undefined;
  const ranks = new Map(values.map((name, index) => [collate(name), index] as const).reverse());
  // Bugs have few different values.
  const known = new Map<string, number>();
  return (value) => {
    const rank = known.get(value) ?? ranks.get(collate(value)) ?? values.length;
    known.set(value, rank);
    return rank;
  };
}
