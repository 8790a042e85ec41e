import { normalizeName } from '../base/text.ts';
import { IMPORTED, IMPORTED_UNMAILED, type ImportedState, type UserItem } from './schema.ts';

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

type State = Pick<UserItem, 'disabled' | 'email_enabled' | 'groups'> & Partial<Pick<UserItem, 'real_name'>>;

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
      ...mergedMail(existing?.user.email_enabled, last, imported),
      groups: mergedGroups(existing?.user.groups ?? [], last.groups ?? [], imported.groups),
      ...mergedName(existing?.user.real_name, last, given),
    },
    imported: existing === undefined ? imported : baseOf(existing.user, last, imported),
  };
}

/**
 * What is to be stored as brought. What was changed here keeps what was brought before, so that the change stands also where
 * the Bugzilla agrees with it for a while.
 */
function baseOf(here: UserItem, last: ImportedState, next: ImportedState): ImportedState {
  const { disabled: _, email_enabled: __, groups: ___, ...rest } = next;
  const disabled = isDisabledUnchanged(here.disabled, last) ? next.disabled : last.disabled;
  const isMailUnchanged = (here.email_enabled ?? true) === (last.email_enabled ?? true);
  const email_enabled = isMailUnchanged ? next.email_enabled : last.email_enabled;
  const groups = next.groups && baseGroups(here.groups, last.groups ?? [], next.groups);
  return {
    ...rest,
    ...(disabled === undefined ? {} : { disabled }),
    ...(email_enabled === undefined ? {} : { email_enabled }),
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

function mergedMail(
  here: boolean | undefined,
  last: ImportedState,
  next: ImportedState,
): Pick<State, 'email_enabled'> {
  const isUnchanged = (here ?? true) === (last.email_enabled ?? true);
  const isMailed = (isUnchanged ? next.email_enabled : here) ?? true;
  return isMailed ? {} : { email_enabled: false };
}

/** The real name there, where it has changed since, and not here. What was imported before names were noted stays as it is. */
function mergedName(
  here: string | undefined,
  last: ImportedState,
  { real_name }: ImportedState,
): Pick<State, 'real_name'> {
  return here !== undefined && here === last.real_name && real_name !== undefined ? { real_name } : {};
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
