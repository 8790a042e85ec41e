import { type BugField, type BuiltInField, type FieldRow, NONE } from './field.ts';
import { SHOWN_FIELDS } from './field-rows.ts';
import { isStoredValue, kindOf, type StoredValue } from './kinds.ts';
import { SEARCH_ONLY_FIELDS } from './search-only-rows.ts';

/** A row of the fields that bugs show, with its literal types. */
type ShownRow = (typeof SHOWN_FIELDS)[number];
type StoredRow = Extract<ShownRow, { stored: readonly [string, unknown] }>;

/** The fields that a request may give for a new bug, and those that an update may change. */
export type CreatedRow = Extract<ShownRow, { created: 'required' | 'everyone' | 'editors' | 'timetrackers' }>;
export type UpdatedRow = Extract<ShownRow, { updated: string }>;

/** The attributes of the stored bug that fields have, with their schemas. */
type StoredShape = { [R in StoredRow as R['stored'][0]]: R['stored'][1] };

/** The fields of bugs. What derives from them takes them as an argument. */
export interface BugFields {
  /** ordered by Bugzilla's ids, those without one last */
  all: readonly BugField[];
  /** those whose changes are reported, ordered by their names in the interface */
  inHistory: readonly HistoryField[];
  /** by the internal name */
  named(name: string): BugField | undefined;
  /** by the name in the interface */
  shownAs(rest: string): BugField | undefined;
}

/** A field whose changes are reported under its name in the interface. */
export type HistoryField = BugField & { rest: string };

const isInHistory = (field: BugField): field is HistoryField =>
  field.changes !== undefined && field.rest !== undefined;

/** The fields that every deployment has. */
export const BUILT_IN_FIELDS: readonly BuiltInField[] = [...SHOWN_FIELDS, ...SEARCH_ONLY_FIELDS]
  .map((row: FieldRow) => ({ type: kindOf(row).type, custom: NONE, ...row }))
  .sort((a, b) => (a.id ?? Number.POSITIVE_INFINITY) - (b.id ?? Number.POSITIVE_INFINITY));

/** A registry of fields. */
export function bugFields(all: readonly BugField[]): BugFields {
  const byName = new Map(all.map((field) => [field.name, field]));
  const byRest = new Map(all.flatMap((field) => (field.rest === undefined ? [] : [[field.rest, field]])));
  const inHistory = all.filter(isInHistory).sort((a, b) => (a.rest < b.rest ? -1 : 1));
  return { all, inHistory, named: (name) => byName.get(name), shownAs: (rest) => byRest.get(rest) };
}

/** The fields of bugs in a catalogue, and the name that each has there. */
export type CatalogueRow = Extract<StoredRow, { catalogue: string }>;
export type CatalogueName<R extends CatalogueRow> = R extends { derived: 'place' }
  ? R['rest']
  : R['stored'][0];

/** The name of a field in a catalogue: that of the stored attribute, or of the interface where the attribute is an id. */
export const catalogueName = ({ derived, rest, stored }: BugField): string | undefined =>
  derived === 'place' ? rest : stored?.[0];

/** The registry of a deployment without custom fields. */
export const builtInRegistry: BugFields = bugFields(BUILT_IN_FIELDS);

/** The attributes of a stored bug that its fields have, as a shape for zod. */
export function storedShape(): StoredShape;
export function storedShape(): object {
  return Object.fromEntries(SHOWN_FIELDS.flatMap(({ stored }) => (stored === undefined ? [] : [stored])));
}

/** A stored bug, as far as its fields are concerned. */
type StoredBug = { custom: Readonly<Record<string, StoredValue>> } & Readonly<Record<string, unknown>>;

/** The value of a field that is stored with a bug. */
export function storedValue(bug: StoredBug, field: BugField): StoredValue {
  const { stored, custom } = field;
  if (custom !== undefined) return bug.custom[custom.name] ?? kindOf(field).empty;
  const value = stored === undefined ? null : (bug[stored[0]] ?? null);
  return isStoredValue(value) ? value : null;
}

/** Who sees a field. @param name the interface's, or the internal one */
export const audienceOf = (name: string, fields: BugFields): BugField['visibleTo'] =>
  (fields.shownAs(name) ?? fields.named(name))?.visibleTo ?? 'everyone';
