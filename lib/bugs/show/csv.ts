import { bit } from '../../base/collections.ts';
import type { BugField } from '../fields/field.ts';
import { FIELD_TYPES } from '../fields/kinds.ts';
import type { BugFields } from '../fields/registry.ts';
import { pageTitle } from './field-titles.ts';

type View = Readonly<Record<string, unknown>>;

/** For whom a list is written. */
export interface CsvReader {
  isTimeTracker: boolean;
  /** whether addresses are cut at `@`, as 5.2 does for anonymous readers */
  hidesAddresses: boolean;
  /** when the reader last visited a bug, where that is a column */
  lastVisit(bug: number): string | undefined;
}

/** A column of a list as CSV. */
export interface CsvColumn {
  name: string;
  title: string;
  /** the fields of the interface that it shows */
  fields: readonly string[];
  /** the text of a bug */
  text(bug: View, reader: CsvReader): string;
}

/** The columns that 5.2 shows by default. */
const DEFAULT_COLUMNS = [
  ...['product', 'component', 'assigned_to', 'bug_status', 'resolution', 'short_desc', 'changeddate'],
];
/** The fields that 5.2's lists have. */
const LISTED: ReadonlySet<string> = new Set([
  ...['alias', 'assigned_to', 'blocked', 'bug_file_loc', 'bug_severity', 'bug_status', 'classification'],
  ...['component', 'deadline', 'dependson', 'keywords', 'op_sys', 'priority', 'product', 'qa_contact'],
  ...[
    'rep_platform',
    'reporter',
    'resolution',
    'short_desc',
    'status_whiteboard',
    'target_milestone',
    'version',
  ],
]);
const HOURS: ReadonlyMap<string, string> = new Map([
  ['estimated_time', 'Orig. Est.'],
  ['remaining_time', 'Hours Left'],
  ['actual_time', 'Actual Hours'],
]);
const PEOPLE: ReadonlyMap<string, string> = new Map([
  ['assigned_to', 'assigned_to'],
  ['reporter', 'creator'],
  ['qa_contact', 'qa_contact'],
]);

const personColumn = ([name, rest]: readonly [string, string]): CsvColumn => ({
  name: `${name}_realname`,
  title: `${pageTitle({ name, title: name })} Real Name`,
  fields: [rest],
  text: (bug) => realName(bug[`${rest}_detail`]),
});

/** Columns that are no field, or called otherwise. */
const OWN_COLUMNS: readonly CsvColumn[] = [
  {
    name: 'opendate',
    title: 'Opened',
    fields: ['creation_time'],
    text: (bug) => timeText(bug['creation_time']),
  },
  {
    ...{ name: 'changeddate', title: 'Changed', fields: ['last_change_time'] },
    text: (bug) => timeText(bug['last_change_time']),
  },
  {
    name: 'short_short_desc',
    title: 'Summary',
    fields: ['summary'],
    text: ({ summary }) => valueText(summary),
  },
  ...[...PEOPLE].map(personColumn),
  { name: 'flagtypes.name', title: 'Flags', fields: ['flags'], text: ({ flags }) => flagsText(flags) },
  {
    ...{ name: 'longdescs.count', title: 'Number of Comments', fields: ['comment_count'] },
    text: ({ comment_count }) => valueText(comment_count),
  },
  // Bugless has none.
  { name: 'tag', title: 'Personal Tags', fields: [], text: () => '' },
  {
    ...{ name: 'last_visit_ts', title: 'Last Visit', fields: [] },
    text: ({ id }, { lastVisit }) => timeText(lastVisit(Number(id))),
  },
];
const HOURS_COLUMNS: readonly CsvColumn[] = [
  ...[...HOURS].map(([name, title]): CsvColumn => {
    return { name, title, fields: [name], text: (bug) => Number(bug[name] ?? 0).toFixed(2) };
  }),
  {
    ...{ name: 'percentage_complete', title: '%Complete', fields: ['actual_time', 'remaining_time'] },
    text: ({ actual_time, remaining_time }) => percentage(Number(actual_time), Number(remaining_time)),
  },
];

/**
 * The columns of a list, as 5.2 has them.
 *
 * @param given `columnlist`: internal names, separated by commas or blanks; `all`; '' or undefined: those of 5.2
 * @returns the columns beside `bug_id`, which is the first, and names that are no column, or none for the reader
 */
export function csvColumns(
  given: string | undefined,
  { all }: BugFields,
  { isTimeTracker }: Pick<CsvReader, 'isTimeTracker'>,
) {
  const known = new Map(
    [
      ...all.flatMap((field) => fieldColumn(field) ?? []),
      ...OWN_COLUMNS,
      ...(isTimeTracker ? HOURS_COLUMNS : []),
    ].map((column) => [column.name, column]),
  );
  const names = (given ?? '').split(/[\s,]+/).filter(Boolean);
  const everything = [...known.keys()].filter((name) => name !== 'short_desc');
  const chosen = names.length === 0 ? DEFAULT_COLUMNS : names.includes('all') ? everything : names;
  const distinct = [...new Set(chosen)].filter((name) => name !== 'bug_id');
  return {
    columns: distinct.flatMap((name) => known.get(name) ?? []),
    unknown: distinct.filter((name) => !known.has(name)),
  };
}

function fieldColumn(field: BugField): CsvColumn | undefined {
  const { name, rest, custom, type } = field;
  if (rest === undefined || (custom === undefined && !LISTED.has(name))) return undefined;
  const shared = { name, title: pageTitle(field), fields: [rest] };
  if (PEOPLE.has(name)) {
    const text = (bug: View, { hidesAddresses }: CsvReader) => shownAddress(bug[rest], hidesAddresses);
    return { ...shared, text };
  }
  if (name === 'resolution') return { ...shared, text: (bug) => valueText(bug[rest]) || '---' };
  const text = type === FIELD_TYPES.DATE_TIME ? timeText : type === FIELD_TYPES.DATE ? dateText : valueText;
  return { ...shared, text: (bug) => text(bug[rest]) };
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return bit(value);
  return Array.isArray(value) ? value.join(', ') : String(value);
}

const timeText = (value: unknown): string => valueText(value).replace('T', ' ').replace('Z', '');

const dateText = (value: unknown): string => valueText(value).slice(0, 'YYYY-MM-DD'.length);

const isObject = (given: unknown): given is Record<string, unknown> =>
  typeof given === 'object' && given !== null;

const realName = (detail: unknown): string => (isObject(detail) ? String(detail['real_name'] ?? '') : '');

/** A login, for anonymous readers without what follows `@`. */
export const shownAddress = (login: unknown, isCut: boolean): string =>
  isCut ? valueText(login).replace(/@.*$/s, '') : valueText(login);

function percentage(worked: number, remaining: number): string {
  const total = worked + remaining;
  return String(total === 0 ? 0 : Math.floor((100 * worked) / total));
}

function flagsText(flags: unknown): string {
  if (!Array.isArray(flags)) return '';
  const names = flags.flatMap((flag) => (isObject(flag) ? [`${flag['name']}${flag['status']}`] : []));
  return [...new Set(names)].join(', ');
}

const NUMBER = /^(-?\d+(\.\d+)?)?$/;
/** Spreadsheets take what begins so for a formula, and run it, some also after blanks, and in full width. */
const FORMULA = /^([\s\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠]|[\t\r\n])/u;

/** What 5.2 has for no value; a blank before it makes it a text, and programs expect that. */
const DASHES = /^-+$/;

/** A cell: quoted, unless it is a number. A quote before it makes a formula a text. */
export function csvCell(given: string): string {
  if (NUMBER.test(given)) return given;
  if (DASHES.test(given)) return `" ${given}"`;
  const text = given.replaceAll('\0', '');
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

/** A list as 5.2 writes it, without a line end at its end. @param isHuman whether the first line has titles, not names */
export function csvList(
  bugs: readonly View[],
  columns: readonly CsvColumn[],
  { isHuman, reader }: { isHuman: boolean; reader: CsvReader },
): string {
  const heading = isHuman
    ? ['Bug ID', ...columns.map(({ title }) => title)].map(csvCell)
    : ['bug_id', ...columns.map(({ name }) => csvCell(name))];
  const rows = bugs.map((bug) => [
    String(bug['id']),
    ...columns.map(({ text }) => csvCell(text(bug, reader))),
  ]);
  return [heading, ...rows].map((row) => row.join(',')).join('\n');
}
