import { type FieldName, fieldNamed, fieldShownAs, isTimeField } from '../fields.ts';
import type { LegalValues } from '../values.ts';
import { STATUSES } from '../workflow.ts';
import { collate, compareValues } from './compare.ts';
import { type FieldKind, searchField } from './search-fields.ts';
import type { Subject } from './subject.ts';

/** What bugs are ordered by, besides their fields. */
export interface OrderContext {
  legal: LegalValues;
  isTimeTracker: boolean;
}

/** A column that bugs are ordered by. */
export interface OrderColumn {
  field: FieldName;
  isDescending: boolean;
}

/** Names of columns that are no fields. */
const COLUMNS: ReadonlyMap<string, FieldName> = new Map([
  ['changeddate', 'delta_ts'],
  ['opendate', 'creation_ts'],
]);

/** Lists of people, and what takes a read for each bug, give no order. */
const UNORDERED: ReadonlySet<FieldName> = new Set(['cc']);

/**
 * The columns of an `order`: names of fields, separated by commas, each perhaps with ` DESC`. Unknown ones are left
 * out, as in Bugzilla.
 */
export function readOrder(given: string, { isTimeTracker }: OrderContext): OrderColumn[] {
  return given.split(',').flatMap((part): OrderColumn[] => {
    const [, name = '', direction = ''] = /^\s*(?:bugs\.)?(\S+)(?:\s+(asc|desc))?\s*$/i.exec(part) ?? [];
    const field = fieldOf(name.toLowerCase());
    if (field === undefined || UNORDERED.has(field) || searchField(field)?.isCostly !== false) return [];
    if (isTimeField(field) && !isTimeTracker) return [];
    return [{ field, isDescending: direction.toLowerCase() === 'desc' }];
  });
}

function fieldOf(name: string): FieldName | undefined {
  return COLUMNS.get(name) ?? fieldNamed(name)?.name ?? fieldShownAs(name)?.name;
}

/** The sort key of a bug's milestone. */
export type MilestoneSortKey = (subject: Subject) => number;

/**
 * Orders bugs by columns, then by id; values that have a rank by that, the empty one first.
 *
 * @param milestoneSortKey called only if the milestone is one of the columns
 */
export function compareBy(
  columns: readonly OrderColumn[],
  { legal }: OrderContext,
  milestoneSortKey: MilestoneSortKey,
): (a: Subject, b: Subject) => number {
  const ranks: Partial<Record<FieldName, readonly string[]>> = {
    bug_status: STATUSES,
    resolution: ['', ...legal.resolution],
    bug_severity: legal.severity,
    priority: legal.priority,
    rep_platform: legal.platform,
    op_sys: legal.op_sys,
  };
  const comparisons = columns.map(({ field, isDescending }) => {
    const byValue = compareField(field, ranks[field]);
    const compare =
      field === 'target_milestone'
        ? (a: Subject, b: Subject) => milestoneSortKey(a) - milestoneSortKey(b) || byValue(a, b)
        : byValue;
    return isDescending ? (a: Subject, b: Subject) => compare(b, a) : compare;
  });
  return (a, b) => {
    for (const compare of comparisons) {
      const order = compare(a, b);
      if (order !== 0) return order;
    }
    return a.bug.id - b.bug.id;
  };
}

function compareField(field: FieldName, rank: readonly string[] | undefined) {
  const kind: FieldKind = searchField(field)?.kind ?? 'text';
  const textOf = (subject: Subject): string => {
    const values = searchField(field)?.read(subject);
    return Array.isArray(values) ? values.join(',') : '';
  };
  return (a: Subject, b: Subject): number => {
    const [left, right] = [textOf(a), textOf(b)];
    if (rank !== undefined) return rankOf(rank, left) - rankOf(rank, right);
    return compareValues(kind, left, right);
  };
}

/** What has no rank comes last. */
function rankOf(rank: readonly string[], value: string): number {
  const place = rank.findIndex((name) => collate(name) === collate(value));
  return place < 0 ? rank.length : place;
}
