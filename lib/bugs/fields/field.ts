import type * as z from 'zod/mini';
import type { CommentItem } from '../comments/schema.ts';
import { type CustomField, customKind } from './custom-field.ts';
import type { BuiltInKind, FieldKind, StoredValue } from './kinds.ts';

/** Why a column of the registry is empty: written out, so that no column is forgotten. */
export const NONE = undefined;

/** One row of the registry: it says everything about a field of bugs. */
export interface FieldRow {
  /** Bugzilla's; absent: not listed by `/rest/field/bug`, and not searched */
  id: number | undefined;
  /** the internal name, in charts, orders and `/rest/field/bug` */
  name: string;
  /** the name in bugs, parameters, changes and histories */
  rest: string | undefined;
  title: string;
  /** Bugzilla's number for the type; absent: that of the kind */
  type?: number;
  kind: BuiltInKind;
  /**
   * the attribute of the stored bug, and its schema; one that is added later has a default, for bugs stored without it
   */
  stored: readonly [attribute: string, schema: z.ZodMiniType<StoredValue | undefined>] | undefined;
  /**
   * where its value comes from, if not from `stored`: the product and component of the bug, or a source that only
   * searches read
   */
  derived: 'place' | 'search' | undefined;
  /** the values that a comment gives its bug; absent: no part of comments */
  ofComment?: (comment: CommentItem) => readonly string[];
  /** who sees, searches and orders by it */
  visibleTo: 'everyone' | 'timetrackers' | 'insiders';
  /** how a search may use it: in charts only, or also as a parameter */
  searched: 'charts' | 'parameters' | undefined;
  /**
   * Who may set it on a new bug; from other callers it is ignored. `required`: null is blank, not the default. `ignored`:
   * its value is computed. Absent: an unknown parameter.
   */
  created: 'required' | 'everyone' | 'editors' | 'timetrackers' | 'ignored' | undefined;
  /** who may change it beside members of editbugs, the assignee and the QA contact; absent: no parameter of updates */
  updated: 'reporter' | 'editors' | 'timetrackers' | undefined;
  /** whether a change is recorded in the history, or stands in the response of the update only */
  changes: 'history' | 'response' | undefined;
  /** where its legal values come from, by the name of a field in the interface */
  values: string | undefined;
  /** whether every bug has a value other than the default; for `/rest/field/bug` */
  isMandatory: boolean;
  /** in a catalogue, so also in exports and in what an import copies: see catalogueName */
  catalogue: 'required' | 'optional' | undefined;
  /** for the interface document */
  description: string;
}

/** A field of bugs. */
export interface BugField extends Omit<FieldRow, 'kind' | 'type'> {
  type: number;
  kind: FieldKind;
  /** the definition of a custom field */
  custom: CustomField | undefined;
}

/** A field that every deployment has. */
export type BuiltInField = BugField & { kind: BuiltInKind; custom: undefined };

/** Whether a field is one of those that Bugzilla lists where none is named: it has an id and is not obsolete. */
export const isListed = ({ id, custom }: Pick<BugField, 'id' | 'custom'>): boolean =>
  id !== undefined && custom?.is_obsolete !== true;

/** The row of the registry for a custom field. Obsolete ones are searched only. */
export function customRow(custom: CustomField): BugField {
  const { id, name, display_name, type, is_obsolete, is_mandatory } = custom;
  return {
    id,
    name,
    rest: is_obsolete ? NONE : name,
    title: display_name,
    type,
    kind: customKind(type),
    stored: NONE,
    derived: NONE,
    custom,
    visibleTo: 'everyone',
    searched: 'parameters',
    created: is_obsolete ? 'ignored' : 'everyone',
    updated: is_obsolete ? NONE : 'reporter',
    changes: is_obsolete ? NONE : 'history',
    values: NONE,
    isMandatory: is_mandatory,
    catalogue: NONE,
    description: '',
  };
}
