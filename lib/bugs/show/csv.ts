import { bit } from '../../differences.ts';
import type { BugField } from '../fields/field.ts';
import type { BugFields } from '../fields/registry.ts';

/** A column of a list as CSV. */
export interface CsvColumn {
  /** the name that the request gave */
  name: string;
  title: string;
  /** the field of the interface that it shows */
  rest: string;
  /** the text of a bug */
  text(bug: Readonly<Record<string, unknown>>): string;
}

/** The columns that 5.2 shows by default. */
const DEFAULT_COLUMNS = [
  ...['product', 'component', 'assigned_to', 'bug_status', 'resolution', 'short_desc', 'changeddate'],
];
/** Columns that are called otherwise than their field. */
const TIMES: ReadonlyMap<string, readonly [field: string, title: string]> = new Map([
  ['opendate', ['creation_ts', 'Opened']],
  ['changeddate', ['delta_ts', 'Changed']],
]);
const REAL_NAME = /^(assigned_to|reporter|qa_contact)_realname$/;

/**
 * The columns of a list beside `bug_id`, which is the first.
 *
 * @param given `columnlist`: internal names, separated by commas or blanks; `all`; '' or undefined: those of 5.2. Unknown ones are
 *   left out
 */
export function csvColumns(given: string | undefined, fields: BugFields): CsvColumn[] {
  const names = (given ?? '').split(/[\s,]+/).filter(Boolean);
  const shown = fields.all.flatMap(({ name, rest, visibleTo }) =>
    rest === undefined || visibleTo !== 'everyone' ? [] : [name],
  );
  const chosen = names.length === 0 ? DEFAULT_COLUMNS : names.includes('all') ? shown : names;
  return [...new Set(chosen)]
    .filter((name) => name !== 'bug_id')
    .flatMap((name) => columnOf(name, fields) ?? []);
}

function columnOf(name: string, fields: BugFields): CsvColumn | undefined {
  if (name === 'flagtypes.name') {
    return { name, title: 'Flags', rest: 'flags', text: ({ flags }) => flagsText(flags) };
  }
  const [, person] = REAL_NAME.exec(name) ?? [];
  const [ofTime, timeTitle] = TIMES.get(name) ?? [];
  const field = fields.named(person ?? ofTime ?? name) ?? fields.shownAs(name);
  if (field?.rest === undefined) return undefined;
  const { rest, title } = field;
  if (person !== undefined) {
    const text = (bug: Readonly<Record<string, unknown>>) => realName(bug[`${rest}_detail`]);
    return { name, title: `${title} Real Name`, rest, text };
  }
  return { name, title: timeTitle ?? title, rest, text: (bug) => textOf(bug[rest], field) };
}

const DATE_TIME = 5;
const TIME_FIELDS: ReadonlySet<string> = new Set(['creation_ts', 'delta_ts']);

function textOf(value: unknown, { name, type }: BugField): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return bit(value);
  if (Array.isArray(value)) return value.join(', ');
  const text = String(value);
  return type === DATE_TIME || TIME_FIELDS.has(name) ? text.replace('T', ' ').replace('Z', '') : text;
}

const isObject = (given: unknown): given is Record<string, unknown> =>
  typeof given === 'object' && given !== null;

const realName = (detail: unknown): string => (isObject(detail) ? String(detail['real_name'] ?? '') : '');

function flagsText(flags: unknown): string {
  if (!Array.isArray(flags)) return '';
  const one = (flag: unknown) => {
    if (!isObject(flag)) return '';
    const { name, status, requestee } = flag;
    return `${name}${status}${requestee === undefined ? '' : `(${requestee})`}`;
  };
  return flags.map(one).join(', ');
}

const NUMBER = /^(-?\d+(\.\d+)?)?$/;
/** Spreadsheets take what begins so for a formula, and run it, some also after blanks, and in full width. */
const FORMULA = /^([\s\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠]|[\t\r\n])/u;

/** A cell: quoted, unless it is a number. A quote before it makes a formula a text. */
function csvCell(given: string): string {
  if (NUMBER.test(given)) return given;
  const text = given.replaceAll('\0', '');
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

/** A list as 5.2 writes it. @param isHuman whether the first line has titles, not names */
export function csvList(
  bugs: readonly Readonly<Record<string, unknown>>[],
  columns: readonly CsvColumn[],
  isHuman: boolean,
): string {
  const heading = isHuman
    ? ['Bug ID', ...columns.map(({ title }) => title)].map(csvCell)
    : ['bug_id', ...columns.map(({ name }) => csvCell(name))];
  const rows = bugs.map((bug) => [String(bug['id']), ...columns.map(({ text }) => csvCell(text(bug)))]);
  return [heading, ...rows].map((row) => `${row.join(',')}\n`).join('');
}
