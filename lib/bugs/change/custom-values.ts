import { distinctNames, updatedNames } from '../../base/names.ts';
import { bytes, normalizeName } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import type { BugPlace } from '../../products/place.ts';
import type { CustomField } from '../fields/custom-field.ts';
import type { BugField } from '../fields/field.ts';
import { isNoBug, kindOf, type StoredValue } from '../fields/kinds.ts';
import { type BugFields, storedValue } from '../fields/registry.ts';
import type { CustomGiven } from '../requests.ts';
import type { BugItem } from '../schema.ts';
import { checkValue } from '../validation.ts';
import type { OwnUpdate } from './bug-update.ts';

/** So that the item of the bug, and of a change of all of them, stays below DynamoDB's 400 KB. */
const MAX_CUSTOM_BYTES = 100_000;

/** The values of a multi-select after a change, in the order given; inactive ones are legal. */
function multiSelectValues(current: StoredValue, given: CustomGiven, field: CustomField): string[] {
  const known = new Map(field.values.map(({ name }) => [normalizeName(name), name]));
  // A request may repeat them thousands of times.
  const legalValue = (name: string) =>
    known.get(normalizeName(name.trim())) ?? checkValue(field.name, [], name);
  const legal = (names: readonly string[]) => distinctNames(names.map(legalValue));
  if (typeof given === 'string') return legal(given.split(',').filter((name) => name.trim() !== ''));
  const present = [current].flat().filter((name) => typeof name === 'string');
  return updatedNames(present, given, legal);
}

/**
 * The values of custom fields after a change. Fields that are not defined are ignored in an update, obsolete ones always.
 *
 * @param bug after the change, but for its custom fields
 * @param place of the bug after the change
 */
export function customValues(own: OwnUpdate, bug: BugItem, place: BugPlace): BugItem['custom'] {
  const { custom: given, isNew, fields } = own;
  const values: Record<string, StoredValue> = { ...bug.custom };
  for (const [name, one] of given) {
    const field = fields.named(name);
    if (field?.custom === undefined) {
      if (isNew) throw errors.parameterUnknown(name);
    } else if (field.changes !== undefined) {
      const { parse, shape } = kindOf(field);
      if (parse === undefined) values[name] = multiSelectValues(storedValue(bug, field), one, field.custom);
      else if (typeof one !== 'string') throw errors.parameterInvalid(name, 'it must be a single value');
      else values[name] = parse(one, field, own);
      if (shape === 'bug' && values[name] === bug.id) throw errors.bugFieldLoop(name);
    }
  }
  const requested = isNew ? fields.all : [...given.keys()].flatMap((name) => fields.named(name) ?? []);
  for (const field of requested) {
    const { custom } = field;
    if (custom === undefined || !custom.is_mandatory || custom.is_obsolete) continue;
    const isFieldShown = isShownFor(custom, { ...bug, custom: values }, place, fields);
    if (isFieldShown && isEmpty(values[custom.name], field)) throw errors.fieldMandatory(custom.name);
  }
  const custom = Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      isStored(value) && !isEmpty(value, fields.named(name)) ? [[name, value]] : [],
    ),
  );
  if (given.size > 0 && bytes(JSON.stringify(custom)) > MAX_CUSTOM_BYTES) {
    throw errors.requestTooLarge('100 KB in the custom fields of a bug');
  }
  return custom;
}

const isStored = (value: StoredValue): value is BugItem['custom'][string] =>
  typeof value !== 'boolean' && value !== null;

/** A value of a field that is not defined any more is kept. */
const isEmpty = (value: StoredValue | undefined, field: BugField | undefined): boolean =>
  value === undefined || (field !== undefined && String(value) === String(kindOf(field).empty));

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
  [...given].flatMap(([name, value]) => {
    const field = fields.named(name);
    const isBug = field !== undefined && kindOf(field).shape === 'bug';
    return isBug && typeof value === 'string' && !isNoBug(value) ? [value] : [];
  });
