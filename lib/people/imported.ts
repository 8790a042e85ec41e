import { normalizeName } from '../base/text.ts';
import { IMPORTED, IMPORTED_UNMAILED, type ImportedState, type UserItem } from './schema.ts';
import {
  givenValues,
  OWN_FIELDS,
  PUBLIC_FIELDS,
  type RegisteredField,
  type StoredValues,
  valueIn,
  withoutOwnFields,
} from './user-fields.ts';

/** Why a user is disabled here whom a Bugzilla has disabled for a reason that it does not tell. */
export const DISABLED_THERE = 'Disabled in Bugzilla';

/** Whether a user was imported and waits for an API key, rather than being disabled. */
export const awaitsKey = (disabled: string | undefined): boolean =>
  disabled === IMPORTED || disabled === IMPORTED_UNMAILED;

/**
 * Whether a user may sign in by mail: enabled ones, and those who are disabled only because they were imported, not those whose
 * state the import could not ask.
 *
 * @returns the reason why not; undefined: the user may
 */
export const signInProblem = ({ disabled }: UserItem, allowsImported: boolean): string | undefined =>
  disabled === IMPORTED && allowsImported ? undefined : disabled;

/** What a user is in the table. */
interface Known {
  user: UserItem;
  /** what the last import brought; absent: none, or one of a version before 1.2.0 */
  imported?: ImportedState | undefined;
}

type State = Pick<UserItem, 'disabled' | 'groups'> & Partial<StoredValues>;

/** Whether an account was brought by an import. Versions before 1.2.0 stored nothing but the text. */
export const isImported = ({ user, imported }: Known): boolean =>
  imported !== undefined || awaitsKey(user.disabled);

/**
 * The state of a user after an import (three-way merge): what has changed in the Bugzilla since the last import is brought,
 * unless it was changed here, too. To get an API key here is no change.
 *
 * @param existing undefined: a new user
 * @param given what the Bugzilla tells; what it does not tell stays
 * @returns the state, and what is to be stored as brought; undefined for an account that no import has brought
 */
export function mergeImported(
  existing: Known | undefined,
  given: ImportedState,
): { state: State; imported: ImportedState } | undefined {
  if (existing !== undefined && !isImported(existing)) return undefined;
  const last = existing?.imported ?? {};
  const imported = { ...last, ...given, ...disabledThere(last, given) };
  return {
    state: {
      ...mergedDisabled(existing?.user.disabled, existing !== undefined, last, imported),
      ...mergedFields(existing?.user, last, imported),
      groups: mergedGroups(existing?.user.groups ?? [], last.groups ?? [], imported.groups),
    },
    imported: existing === undefined ? imported : baseOf(existing.user, last, imported),
  };
}

/**
 * What is to be stored as brought. What was changed here keeps what was brought before, so that the change stands also where
 * the Bugzilla agrees with it for a while.
 */
function baseOf(here: UserItem, last: ImportedState, next: ImportedState): ImportedState {
  const { disabled: _, groups: __, ...rest } = withoutOwnFields(next);
  const disabled = isDisabledUnchanged(here.disabled, last) ? next.disabled : last.disabled;
  const groups = next.groups && baseGroups(here.groups, last.groups ?? [], next.groups);
  return {
    ...rest,
    ...(disabled === undefined ? {} : { disabled }),
    ...givenValues(OWN_FIELDS, (field) => (isUnchanged(field, here, last) ? next : last)[field.name]),
    ...(groups === undefined ? {} : { groups }),
  };
}

/** The groups there, without those that were joined here, and with those that were left here. */
function baseGroups(here: readonly string[], last: readonly string[], next: readonly string[]): string[] {
  const [own, known] = [here, last].map((names) => new Set(names.map(normalizeName)));
  const isJoinedHere = (name: string) => own?.has(name) === true && known?.has(name) !== true;
  const left = last.filter((name) => own?.has(normalizeName(name)) !== true);
  const others = next.filter((name) => !isJoinedHere(normalizeName(name)) && !left.includes(name));
  return [...others, ...left];
}

function isDisabledUnchanged(here: string | undefined, last: ImportedState): boolean {
  const wasEnabled = (last.disabled ?? null) === null;
  return wasEnabled ? here === undefined || awaitsKey(here) : here === last.disabled;
}

/** A reason that was told once stays, where the Bugzilla does not tell it any more. */
const disabledThere = (last: ImportedState, given: ImportedState): Pick<ImportedState, 'disabled'> =>
  given.disabled === DISABLED_THERE && typeof last.disabled === 'string' ? { disabled: last.disabled } : {};

function mergedDisabled(
  here: string | undefined,
  exists: boolean,
  last: ImportedState,
  next: ImportedState,
): Pick<State, 'disabled'> {
  if (exists && !isDisabledUnchanged(here, last)) return optional(here);
  if (typeof next.disabled === 'string') return { disabled: next.disabled };
  // With a key, or enabled by an administrator.
  if (exists && here === undefined) return {};
  return { disabled: next.email_enabled === undefined ? IMPORTED_UNMAILED : IMPORTED };
}

const optional = (disabled: string | undefined) => (disabled === undefined ? {} : { disabled });

const isUnchanged = (field: RegisteredField, here: Partial<UserItem>, last: ImportedState): boolean =>
  valueIn(here, field) === valueIn(last, field);

/**
 * The values there, where they have changed since, and not here. Those that all see are left out where they stay: what was
 * imported before they were noted, and what a new user is given beside the state.
 */
function mergedFields(
  here: Partial<UserItem> = {},
  last: ImportedState,
  next: ImportedState,
): Partial<StoredValues> {
  return {
    ...givenValues(PUBLIC_FIELDS, ({ name }) =>
      here[name] !== undefined && here[name] === last[name] ? next[name] : undefined,
    ),
    ...givenValues(OWN_FIELDS, (field) => {
      const value = (isUnchanged(field, here, last) ? next : here)[field.name];
      return value === field.default ? undefined : value;
    }),
  };
}

/** Groups that were joined or left in the Bugzilla since the last import; those of this side otherwise. */
function mergedGroups(here: readonly string[], last: readonly string[], next?: readonly string[]): string[] {
  if (next === undefined) return [...here];
  const known = new Set(last.map(normalizeName));
  const current = new Set(next.map(normalizeName));
  const own = new Set(here.map(normalizeName));
  const kept = here.filter((name) => !known.has(normalizeName(name)) || current.has(normalizeName(name)));
  const joined = next.filter((name) => !known.has(normalizeName(name)) && !own.has(normalizeName(name)));
  return [...kept, ...joined];
}
