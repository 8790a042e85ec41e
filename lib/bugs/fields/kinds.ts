import { bit } from '../../base/collections.ts';
import { characters, compareNames } from '../../base/text.ts';
import { parseHours, parseTime } from '../../base/time.ts';
import { errors } from '../../errors.ts';
import { checkSummary, checkText, checkValue, parseDeadline } from '../validation.ts';
import { isChoice, type LegalValues } from '../values.ts';

/** What the attribute of a field may hold. */
export type StoredValue = string | number | boolean | null | readonly string[] | readonly number[];

/** Whether an attribute is one of a field: a scalar, or a list of scalars. */
export const isStoredValue = (value: unknown): value is StoredValue =>
  value === null || Array.isArray(value) || ['string', 'number', 'boolean'].includes(typeof value);

/** How the parameter of a search is compared. */
export interface ParameterRule {
  /** unless `<name>_type` says otherwise */
  operator: string;
  /** whatever `<name>_type` says */
  isFixed?: true;
  /** values may have commas, so each parameter is one value */
  isWhole?: true;
  /** a time, which is never left out: this one or later */
  isSince?: true;
}

/** How a request gives a list. */
export interface GivenList {
  /** what separates the elements; `text`: commas and spaces of a text, but not of the elements of a list */
  separators: 'comma' | 'comma or space' | 'text';
  /** whether an update may replace the list: by `set`, and of aliases by any list or text */
  canBeSet: boolean;
}

/** What a value is parsed with. */
export interface ParseContext {
  legal: LegalValues;
  /** the id of a bug that the request names */
  namedBug(name: string): number | undefined;
}

/** The field that a value is parsed for. */
interface ParsedField {
  name: string;
  rest: string | undefined;
  values: string | undefined;
  custom: { values: readonly { name: string }[] } | undefined;
}

/** A kind of field of bugs: all that follows from it. A kind that is added says all of it. */
interface Kind {
  /** Bugzilla's number for the type of a field */
  type: number;
  /** whether custom fields may have it: its type then identifies it */
  isCustom: boolean;
  /** what a value is in JSON; of lists a plural */
  shape: string;
  /** the value that a bug has where none is stored */
  empty: StoredValue;
  /** how requests give it; `decimal`: as a number or its text */
  given: 'text' | 'decimal' | 'boolean' | GivenList;
  /**
   * How the text of a request becomes the stored value. Absent: it depends on the product, the state of the bug, users or
   * other bugs, or it is a list: see lib/bugs/change/.
   */
  parse: ((given: string, field: ParsedField, context: ParseContext) => StoredValue) | undefined;
  /** how a stored value is shown */
  show(value: StoredValue): StoredValue;
  /** how a stored value that is no list is recorded in histories */
  historyText(value: NonNullable<StoredValue>): string;
  /** whether histories have the time of a request as it was given, and the elements of a list in their order */
  historyAsGiven: boolean;
  /** how searches compare values */
  comparison: string;
  /** whether 0 is no value for searches */
  isZeroEmpty: boolean;
  parameter: ParameterRule;
  /** whether searches can be ordered by it */
  isOrdered: boolean;
  /** whether the values of a custom field are defined with it */
  hasValues: boolean;
  /** what the interface document says of values that requests give, and of updates */
  texts: { both?: string; update?: string };
}

/** Bugzilla's numbers for the types of fields. */
export const FIELD_TYPES = {
  FREE: 0,
  FREE_TEXT: 1,
  SELECT: 2,
  MULTI_SELECT: 3,
  LARGE_TEXT: 4,
  DATE_TIME: 5,
  BUG_ID: 6,
  URLS: 7,
  KEYWORDS: 8,
  DATE: 9,
  INTEGER: 10,
} as const;

const EXACT: ParameterRule = { operator: 'anyexact' };
const WHOLE: ParameterRule = { operator: 'anyexact', isWhole: true };
const WORDS: ParameterRule = { operator: 'allwordssubstr' };
const PEOPLE: ParameterRule = { operator: 'anywordssubstr', isFixed: true };

const same = (value: StoredValue): StoredValue => value;
/** Lists are shown by number, or by name. */
const sorted = (value: StoredValue): StoredValue => {
  if (typeof value !== 'object' || value === null) return value;
  const numbers = value.filter((one) => typeof one === 'number').sort((a, b) => a - b);
  return numbers.length > 0 ? numbers : value.filter((one) => typeof one === 'string').sort(compareNames);
};
const asText = (value: NonNullable<StoredValue>): string =>
  typeof value === 'boolean' ? bit(value) : String(value);

const PLAIN = {
  type: FIELD_TYPES.FREE,
  isCustom: false,
  shape: 'text',
  empty: '',
  given: 'text',
  parse: undefined,
  show: same,
  historyText: asText,
  historyAsGiven: false,
  comparison: 'text',
  isZeroEmpty: false,
  parameter: EXACT,
  isOrdered: true,
  hasValues: false,
  texts: {},
} as const;

/** A text that a bug has besides others. */
const TEXT = { ...PLAIN, parameter: WORDS } as const;
/** The name of something. */
const NAME = { ...PLAIN, shape: 'name', comparison: 'name', parameter: WHOLE } as const;
const SELECT = { ...NAME, type: FIELD_TYPES.SELECT } as const;
const NUMBER = { ...PLAIN, comparison: 'number' } as const;

const list = <const S extends GivenList['separators'], const B extends boolean>(separators: S, canBeSet: B) =>
  ({ show: sorted, empty: [], given: { separators, canBeSet } }) as const;

const CUSTOM = { isCustom: true } as const;

const LEGAL = 'One of the legal values, in any case';
const CHANGES = 'An object with `add` and `remove`.';
const SETTABLE = 'An object with `add` and `remove`, or `set`.';

export const MAX_SHORT_TEXT_LENGTH = 255;
/** 32 bits. */
export const MIN_INTEGER = -(2 ** 31);
export const MAX_INTEGER = 2 ** 31 - 1;

/** The kinds of fields of bugs. functions/bugs/README.md 1, 8. */
export const KINDS = {
  id: { ...NUMBER, shape: 'id' },
  summary: { ...TEXT, shape: 'summary', parse: checkSummary },
  text: { ...TEXT, parse: (given, { rest = '' }) => checkText(rest, given) },
  url: { ...TEXT, parse: (given, { rest = '' }) => checkText(rest, given.trim()) },
  classification: SELECT,
  product: SELECT,
  component: SELECT,
  version: NAME,
  milestone: NAME,
  choice: {
    ...SELECT,
    parse: (given, { rest = '', values }, { legal }) =>
      checkValue(rest, isChoice(values) ? legal[values] : [], given),
    texts: { both: `${LEGAL}: see \`/rest/field/bug\`.` },
  },
  status: SELECT,
  resolution: {
    ...SELECT,
    shape: 'text',
    texts: { both: `${LEGAL}. Required where a bug is closed.` },
  },
  boolean: { ...PLAIN, shape: 'boolean', empty: false, given: 'boolean', comparison: 'flag' },
  /** a number that only searches know */
  number: { ...NUMBER, shape: 'hours', empty: 0 },
  hours: {
    ...NUMBER,
    shape: 'hours',
    empty: 0,
    given: 'decimal',
    parse: (given, { rest = '' }) => parseHours(rest, given, 0),
    historyText: (hours) => Number(hours).toFixed(2),
  },
  date: {
    ...PLAIN,
    type: FIELD_TYPES.DATE_TIME,
    shape: 'date',
    empty: null,
    comparison: 'date',
    parse: parseDeadline,
  },
  time: {
    ...PLAIN,
    shape: 'time',
    comparison: 'time',
    parameter: { operator: 'greaterthaneq', isSince: true },
  },
  person: {
    ...PLAIN,
    shape: 'login',
    comparison: 'person',
    parameter: PEOPLE,
    texts: { both: 'A login.' },
  },
  persons: {
    ...PLAIN,
    ...list('comma', false),
    shape: 'logins',
    comparison: 'person',
    parameter: PEOPLE,
    isOrdered: false,
    texts: { both: 'Logins.', update: CHANGES },
  },
  aliases: {
    ...PLAIN,
    ...list('text', true),
    shape: 'aliases',
    comparison: 'alias',
    texts: { update: `${SETTABLE} A text or list stands for \`set\`.` },
  },
  keywords: {
    ...PLAIN,
    ...list('comma or space', true),
    type: FIELD_TYPES.KEYWORDS,
    shape: 'names',
    comparison: 'names',
    parameter: { operator: 'allwords' },
    texts: { update: SETTABLE },
  },
  groups: {
    ...PLAIN,
    ...list('comma', false),
    shape: 'groups',
    comparison: 'names',
    texts: {
      both: 'Groups that the product has for its bugs, and that the caller is in.',
      update: CHANGES,
    },
  },
  urls: {
    ...PLAIN,
    ...list('text', false),
    show: same,
    type: FIELD_TYPES.URLS,
    shape: 'addresses',
    comparison: 'name',
    texts: { update: CHANGES },
  },
  bug: { ...NUMBER, shape: 'bug', empty: null },
  bugs: {
    ...NUMBER,
    ...list('comma or space', true),
    shape: 'bugs',
    texts: { both: 'Ids or aliases.', update: SETTABLE },
  },
  freetext: {
    ...PLAIN,
    ...CUSTOM,
    type: FIELD_TYPES.FREE_TEXT,
    shape: 'shortText',
    parameter: WHOLE,
    parse: (given, { name }) => {
      const text = given.trim();
      if (characters(text) > MAX_SHORT_TEXT_LENGTH) throw errors.textTooLong(name, MAX_SHORT_TEXT_LENGTH);
      return text;
    },
  },
  largetext: {
    ...PLAIN,
    ...CUSTOM,
    type: FIELD_TYPES.LARGE_TEXT,
    shape: 'largeText',
    parameter: WHOLE,
    parse: (given) => given.trim().replace(/\r?\n/g, '\r\n'),
  },
  dropdown: {
    ...SELECT,
    ...CUSTOM,
    empty: '---',
    hasValues: true,
    parse: (given, { name, custom }) =>
      checkValue(name, custom?.values.map((value) => value.name) ?? [], given),
  },
  multiselect: {
    ...PLAIN,
    ...CUSTOM,
    ...list('comma', true),
    type: FIELD_TYPES.MULTI_SELECT,
    shape: 'names',
    comparison: 'names',
    parameter: WHOLE,
    hasValues: true,
    historyAsGiven: true,
  },
  datetime: {
    ...PLAIN,
    ...CUSTOM,
    type: FIELD_TYPES.DATE_TIME,
    shape: 'time',
    empty: null,
    comparison: 'time',
    parse: (given, { name }) => parseDate(name, given, /^\d{4}-\d{1,2}-\d{1,2}( \d{1,2}:\d{2}(:\d{2})?)?$/),
    historyText: (time) => String(time).replace(/^(.*)T(.*)Z$/, '$1 $2'),
    historyAsGiven: true,
  },
  day: {
    ...PLAIN,
    ...CUSTOM,
    type: FIELD_TYPES.DATE,
    shape: 'date',
    empty: null,
    comparison: 'date',
    parse: (given, { name }) =>
      parseDate(name, given, /^\d{4}-\d{1,2}-\d{1,2}$/)?.slice(0, 'YYYY-MM-DD'.length) ?? null,
    show: (day) => (day === null ? null : `${day}T00:00:00Z`),
  },
  bugid: {
    ...NUMBER,
    ...CUSTOM,
    type: FIELD_TYPES.BUG_ID,
    shape: 'bug',
    empty: null,
    isZeroEmpty: true,
    parse: (given, _, { namedBug }) => (isNoBug(given) ? null : (namedBug(given) ?? null)),
  },
  integer: {
    ...NUMBER,
    ...CUSTOM,
    type: FIELD_TYPES.INTEGER,
    shape: 'integer',
    empty: 0,
    isZeroEmpty: true,
    show: String,
    parse: (given, { name }) => {
      const text = given.trim();
      if (text === '') return 0;
      if (!/^[+-]?\d+$/.test(text)) throw errors.integerInvalid(name, given);
      if (Number(text) < MIN_INTEGER || Number(text) > MAX_INTEGER) {
        throw errors.integerOutOfRange(name, MIN_INTEGER, MAX_INTEGER);
      }
      return Number(text) + 0;
    },
  },
} as const satisfies Record<string, Kind>;

/** The kinds of fields. */
export type FieldKind = keyof typeof KINDS;
/** The kinds that custom fields may have. */
export type CustomKind = {
  [K in FieldKind]: (typeof KINDS)[K]['isCustom'] extends true ? K : never;
}[FieldKind];
/** The kinds of the fields that every deployment has. */
export type BuiltInKind = Exclude<FieldKind, CustomKind>;

/** The shape of the values of a kind. */
export type ShapeOf<K extends FieldKind> = (typeof KINDS)[K]['shape'];
/** What values are in JSON: catalogues validate them so, and the interface document describes them. */
export type Shape = ShapeOf<FieldKind>;
/** How the values of fields are compared by searches. */
export type ComparisonKind = (typeof KINDS)[FieldKind]['comparison'];

/** What follows from the kind of a field. */
export const kindOf = ({ kind }: { kind: FieldKind }): Kind & { shape: Shape; comparison: ComparisonKind } =>
  KINDS[kind];

const isKind = (name: string): name is FieldKind => Object.hasOwn(KINDS, name);

const isCustomKind = (kind: FieldKind): kind is CustomKind => KINDS[kind].isCustom;

/** The kinds of custom fields by Bugzilla's numbers for their types. */
export const CUSTOM_KINDS: ReadonlyMap<number, CustomKind> = new Map(
  Object.keys(KINDS)
    .filter(isKind)
    .filter(isCustomKind)
    .map((kind) => [KINDS[kind].type, kind]),
);

/** Whether a text of a bug field empties it. */
export const isNoBug = (given: string): boolean => ['', '0'].includes(given.trim());

/** A date or time as `YYYY-MM-DDThh:mm:ssZ`; empty: null. */
function parseDate(name: string, given: string, pattern: RegExp): string | null {
  const text = given.trim();
  if (text === '') return null;
  const time = pattern.test(text) ? parseTime(text.replaceAll(/\b(\d)\b/g, '0$1')) : undefined;
  if (time === undefined) throw errors.timeNotRecognized(name, given);
  return time;
}
