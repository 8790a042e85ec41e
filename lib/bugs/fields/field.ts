import type * as z from 'zod/mini';
import type { CustomField } from './custom-field.ts';

/** Bugzilla's numbers for the types of fields. */
export const FIELD_TYPES = { FREE: 0, SELECT: 2, DATE: 5, URLS: 7, KEYWORDS: 8 } as const;

/** Why a column of the registry is empty: written out, so that no column is forgotten. */
export const NONE = undefined;

/** What the attribute of a field may hold. */
export type StoredValue = string | number | boolean | null | readonly string[] | readonly number[];

/**
 * What kind of values a field has: how they are parsed, presented, compared, recorded and documented follows from it.
 * Requests, documents, catalogues and the import each map the kinds to schemas of their own.
 */
export type FieldKind =
  | 'id'
  | 'summary'
  | 'text'
  | 'url'
  | 'product'
  | 'component'
  | 'version'
  | 'milestone'
  | 'classification'
  | 'choice'
  | 'status'
  | 'resolution'
  | 'flag'
  | 'decimal'
  | 'date'
  | 'time'
  | 'person'
  | 'persons'
  | 'aliases'
  | 'keywords'
  | 'groups'
  | 'urls'
  | 'bug'
  | 'bugs'
  | CustomKind;

/** The kinds of the fields that every deployment has. */
export type BuiltInKind = Exclude<FieldKind, CustomKind>;

/** The kinds of custom fields. */
export type CustomKind =
  | 'freetext'
  | 'largetext'
  | 'dropdown'
  | 'multiselect'
  | 'datetime'
  | 'day'
  | 'bugid'
  | 'integer';

/** The same for several kinds. */
export function forKinds<K extends FieldKind, const T>(value: T, ...kinds: K[]): Record<K, T>;
export function forKinds(value: unknown, ...kinds: string[]): object {
  return Object.fromEntries(kinds.map((kind) => [kind, value]));
}

/** Where the legal values of a field come from. */
export type LegalValuesSource =
  | 'priority'
  | 'severity'
  | 'platform'
  | 'op_sys'
  | 'resolution'
  | 'status'
  | 'keywords'
  | 'classification'
  | 'component'
  | 'version'
  | 'target_milestone';

/** One row of the registry: it says everything about a field of bugs. */
export interface FieldRow {
  /**
   * The id (absent: not listed by `/rest/field/bug`, and not searched); the internal name, in charts, orders and
   * `/rest/field/bug`; the name in bugs, parameters, changes and histories; the title; one of FIELD_TYPES.
   */
  is: readonly [id: number | undefined, name: string, rest: string | undefined, title: string, type: number];
  kind: BuiltInKind;
  /** the attribute of the stored bug, and its schema; one that is added later has a default, for bugs stored without it */
  stored: readonly [attribute: string, schema: z.ZodMiniType<StoredValue | undefined>] | undefined;
  /** where its value comes from, if not from `stored`: the product that the bug belongs to, or what only searches read */
  derived: 'place' | 'search' | undefined;
  /** who sees, searches and orders by it */
  visibleTo: 'everyone' | 'timetrackers' | 'insiders';
  /** whether a search may ask for it: by charts, or as a parameter, too */
  searched: 'charts' | 'parameters' | undefined;
  /**
   * Who gives it to a new bug; of others it is ignored. `required`: null is blank, not the default. `ignored`: it
   * follows from other things. Absent: an unknown parameter.
   */
  created: 'required' | 'everyone' | 'editors' | 'timetrackers' | 'ignored' | undefined;
  /** who may change it beside members of editbugs, the assignee and the QA contact; absent: no parameter of updates */
  updated: 'reporter' | 'editors' | 'timetrackers' | undefined;
  /** whether a change is recorded in the history, or stands in the response of the update only */
  changes: 'history' | 'response' | undefined;
  values: LegalValuesSource | undefined;
  /** whether every bug has a value other than the default; for `/rest/field/bug` */
  isMandatory: boolean;
  /** in a catalogue, so also in exports and in what an import copies: see catalogueName */
  catalogue: 'required' | 'optional' | undefined;
  /** for the interface document */
  description: string;
}

/** A field of bugs, with the names of what it `is`. */
export interface BugField extends Omit<FieldRow, 'is' | 'kind'> {
  id: number | undefined;
  name: string;
  rest: string | undefined;
  title: string;
  type: number;
  kind: FieldKind;
  /** the definition of a custom field */
  custom: CustomField | undefined;
}

/** A field that every deployment has. */
export type BuiltInField = BugField & { kind: BuiltInKind; custom: undefined };
