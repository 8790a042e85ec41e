import { errors } from '../../errors.ts';
import type { BugPlace } from '../../products/place.ts';
import { bytes, characters, normalizeName } from '../../text.ts';
import { parseTime } from '../../time.ts';
import type { CustomField } from '../fields/custom-field.ts';
import type { BugField, CustomKind, StoredValue } from '../fields/field.ts';
import { type BugFields, EMPTY_VALUES, isCustomKind, storedValue } from '../fields/registry.ts';
import type { BugItem } from '../schema.ts';
import { checkValue } from '../validation.ts';
import type { ChangeSources, ListUpdate } from './bug-update.ts';
import { changedNames, distinctNames, namedBug } from './drafts.ts';

/** What a request gives for a custom field. */
export type CustomGiven = string | ListUpdate;

export const MAX_TEXT_LENGTH = 255;
/** So that the item of the bug, and of a change of all of them, stays below DynamoDB's 400 KB. */
const MAX_CUSTOM_BYTES = 100_000;
export const MAX_INTEGER = 2 ** 31;

type Rule = (given: string, field: CustomField, sources: Pick<ChangeSources, 'bugIds'>) => StoredValue;

/** How a text becomes the value of a field, by its kind. functions/bugs/README.md 8. */
const RULES: Record<Exclude<CustomKind, 'multiselect'>, Rule> = {
  freetext: (given, { name }) => {
    const text = given.trim();
    if (characters(text) > MAX_TEXT_LENGTH) throw errors.textTooLong(name, MAX_TEXT_LENGTH);
    return text;
  },
  largetext: (given) => given.trim().replace(/\r?\n/g, '\r\n'),
  dropdown: (given, { name, values }) =>
    checkValue(
      name,
      values.map((value) => value.name),
      given,
    ),
  datetime: (given, { name }) => dateOf(name, given, /^\d{4}-\d{1,2}-\d{1,2}( \d{1,2}:\d{2}(:\d{2})?)?$/),
  day: (given, { name }) =>
    dateOf(name, given, /^\d{4}-\d{1,2}-\d{1,2}$/)?.slice(0, 'YYYY-MM-DD'.length) ?? null,
  bugid: (given, _, { bugIds }) => (isNoBug(given) ? null : (namedBug(bugIds, given) ?? null)),
  integer: (given, { name }) => {
    const text = given.trim();
    if (text === '') return 0;
    if (!/^[+-]?\d+$/.test(text)) throw errors.integerInvalid(name, given);
    if (Number(text) >= MAX_INTEGER || Number(text) < -MAX_INTEGER) throw errors.integerTooLarge(name);
    return Number(text) + 0;
  },
};

/** Whether a text of a bug field empties it. */
const isNoBug = (given: string): boolean => ['', '0'].includes(given.trim());

/** A date or time as `YYYY-MM-DDThh:mm:ssZ`; empty: null. @throws errors.timeNotRecognized (400, 56) */
function dateOf(name: string, given: string, pattern: RegExp): string | null {
  const text = given.trim();
  if (text === '') return null;
  const time = pattern.test(text) ? parseTime(text.replaceAll(/\b(\d)\b/g, '0$1')) : undefined;
  if (time === undefined) throw errors.timeNotRecognized(name, given);
  return time;
}

/**
 * The values of a multi-select after a change, in the order given; inactive ones are legal.
 *
 * @throws errors.parameterMissing (400, 50), errors.valueUnknown (404, 51)
 */
function chosen(current: StoredValue, given: CustomGiven, field: CustomField): string[] {
  const known = new Map(field.values.map(({ name }) => [normalizeName(name), name]));
  // A request may repeat them thousands of times.
  const legalValue = (name: string) =>
    known.get(normalizeName(name.trim())) ?? checkValue(field.name, [], name);
  const legal = (names: readonly string[]) => distinctNames(names.map(legalValue));
  if (typeof given === 'string') return legal(given.split(',').filter((name) => name.trim() !== ''));
  const { add, remove, set } = given;
  if (set !== undefined) return legal(set);
  const present = [current].flat().filter((name) => typeof name === 'string');
  return changedNames(present, { add: legal(add), remove: legal(remove) });
}

/**
 * The values of custom fields after a change. Fields that are not defined are ignored in an update, obsolete ones always.
 *
 * @param bug after the change, but for its custom fields
 * @param given by name
 * @param place of the bug after the change
 * @throws errors.parameterUnknown (400, 53) for a new bug, errors.parameterInvalid (400, 53), errors.requestTooLarge,
 * errors.fieldMandatory, errors.integerInvalid, errors.bugFieldLoop (400, 32000), errors of 50, 51, 54, 56 and 104
 */
export function customValues(
  bug: BugItem,
  given: ReadonlyMap<string, CustomGiven>,
  place: BugPlace,
  isNew: boolean,
  sources: Pick<ChangeSources, 'fields' | 'bugIds'>,
): BugItem['custom'] {
  const values: Record<string, StoredValue> = { ...bug.custom };
  for (const [name, one] of given) {
    const field = sources.fields.named(name);
    if (field?.custom === undefined) {
      if (isNew) throw errors.parameterUnknown(name);
    } else if (field.changes !== undefined) {
      values[name] = givenValue(bug, field, field.custom, one, sources);
    }
  }
  const requested = isNew
    ? sources.fields.all
    : [...given.keys()].flatMap((name) => sources.fields.named(name) ?? []);
  for (const { custom, kind } of requested) {
    if (custom === undefined || !custom.is_mandatory || custom.is_obsolete || !isCustomKind(kind)) continue;
    const isShown = isShownFor(custom, { ...bug, custom: values }, place, sources.fields);
    if (isShown && isEmpty(values[custom.name], kind)) throw errors.fieldMandatory(custom.name);
  }
  const custom = Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      isStored(value) && !isEmpty(value, kindOf(sources.fields, name)) ? [[name, value]] : [],
    ),
  );
  if (given.size > 0 && bytes(JSON.stringify(custom)) > MAX_CUSTOM_BYTES) {
    throw errors.requestTooLarge('100 KB in the custom fields of a bug');
  }
  return custom;
}

const isStored = (value: StoredValue): value is BugItem['custom'][string] =>
  typeof value !== 'boolean' && value !== null;

const kindOf = (fields: BugFields, name: string): CustomKind => {
  const kind = fields.named(name)?.kind ?? 'freetext';
  return isCustomKind(kind) ? kind : 'freetext';
};

const isEmpty = (value: StoredValue | undefined, kind: CustomKind): boolean =>
  value === undefined || String(value) === String(EMPTY_VALUES[kind]);

function givenValue(
  bug: BugItem,
  field: BugField,
  custom: CustomField,
  given: CustomGiven,
  sources: Pick<ChangeSources, 'bugIds'>,
): StoredValue {
  const { kind } = field;
  if (!isCustomKind(kind) || kind === 'multiselect') return chosen(storedValue(bug, field), given, custom);
  if (typeof given !== 'string') throw errors.parameterInvalid(custom.name, 'it must be a single value');
  const value = RULES[kind](given, custom, sources);
  if (kind === 'bugid' && value === bug.id) throw errors.bugFieldLoop(custom.name);
  return value;
}

/** Whether a field is shown for a bug, so that a value can be required. */
function isShownFor(
  { visibility_field, visibility_values }: CustomField,
  bug: Parameters<typeof storedValue>[0],
  place: BugPlace,
  fields: BugFields,
): boolean {
  if (visibility_field === null) return true;
  const field = fields.named(visibility_field);
  if (field === undefined) return false;
  const values = field.derived === 'place' ? [place[field.rest ?? '']] : [storedValue(bug, field)].flat();
  const own = new Set([...values.map(String), `${place.product}\n${place.component}`].map(normalizeName));
  return visibility_values.some((value) => own.has(normalizeName([value].flat().join('\n'))));
}

/** The bugs that custom fields name. */
export const bugsInCustom = (given: ReadonlyMap<string, CustomGiven>, fields: BugFields): string[] =>
  [...given].flatMap(([name, value]) =>
    fields.named(name)?.kind === 'bugid' && typeof value === 'string' && !isNoBug(value) ? [value] : [],
  );
