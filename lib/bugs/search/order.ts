import type { BugField } from '../fields/field.ts';
import type { BugFields } from '../fields/registry.ts';
import { isChoice, type LegalValues, legalNames } from '../values.ts';
import { STATUSES } from '../workflow.ts';
import { collate, compareValues } from './compare.ts';
import { searchField } from './search-fields.ts';
import type { SearchedBug } from './searched-bug.ts';

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
]);

/**
 * The columns of an `order`: names of fields, separated by commas, each perhaps with ` DESC`. Repeated and unknown ones,
 * lists of people, and what takes a read for each bug, are left out.
 */
export function readOrder(given: string, { fields, isTimeTracker }: OrderContext): OrderColumn[] {
  const seen = new Set<BugField>();
  return given.split(',').flatMap((part): OrderColumn[] => {
    const [, name = '', direction = ''] = /^\s*(?:bugs\.)?(\S+)(?:\s+(asc|desc))?\s*$/i.exec(part) ?? [];
    const known = COLUMNS.get(name.toLowerCase()) ?? name.toLowerCase();
    const field = fields.named(known) ?? fields.shownAs(known);
    if (field === undefined || field.kind === 'persons' || searchField(field)?.isCostly !== false) return [];
    if (field.visibleTo === 'timetrackers' && !isTimeTracker) return [];
    if (seen.has(field)) return [];
    seen.add(field);
    return [{ field, isDescending: direction.toLowerCase() === 'desc' }];
  });
}

/** The sort key of a bug's milestone. */
export type MilestoneSortKey = (searched: SearchedBug) => number;

/**
 * Orders bugs by columns, then by id; values that have a rank by that, the empty one first.
 *
 * @param milestoneSortKey called only if the milestone is one of the columns
 */
export function compareBy(
  columns: readonly OrderColumn[],
  { legal }: OrderContext,
  milestoneSortKey: MilestoneSortKey,
): (a: SearchedBug, b: SearchedBug) => number {
  const comparisons = columns.map(({ field, isDescending }) => {
    const byValue = compareField(field, ranksOf(field, legal));
    const compare =
      field.kind === 'milestone'
        ? (a: SearchedBug, b: SearchedBug) => milestoneSortKey(a) - milestoneSortKey(b) || byValue(a, b)
        : byValue;
    return isDescending ? (a: SearchedBug, b: SearchedBug) => compare(b, a) : compare;
  });
  return (a, b) => {
    for (const compare of comparisons) {
      const order = compare(a, b);
      if (order !== 0) return order;
    }
    return a.bug.id - b.bug.id;
  };
}

/** The values of a field in the order of their rank; undefined: they have none. */
function ranksOf({ values, kind, custom }: BugField, legal: LegalValues): readonly string[] | undefined {
  if (custom !== undefined && kind === 'dropdown') return custom.values.map(({ name }) => name);
  if (values === 'status') return STATUSES;
  return isChoice(values) ? legalNames(values, legal) : undefined;
}

function compareField(field: BugField, rank: readonly string[] | undefined) {
  const reader = searchField(field);
  const textOf = (searched: SearchedBug): string => {
    const values = reader?.read(searched);
    return Array.isArray(values) ? values.join(',') : '';
  };
  return (a: SearchedBug, b: SearchedBug): number => {
    const [left, right] = [textOf(a), textOf(b)];
    if (rank !== undefined) return rankOf(rank, left) - rankOf(rank, right);
    return compareValues(reader?.kind ?? 'text', left, right);
  };
}

/** What has no rank comes last. */
function rankOf(rank: readonly string[], value: string): number {
  const place = rank.findIndex((name) => collate(name) === collate(value));
  return place < 0 ? rank.length : place;
}
