import { compareNames, normalizeName } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import { type Caller, callerOf } from '../../people/caller.ts';
import type { UserItem } from '../../people/schema.ts';
import { type FlagTypeItem, maySet } from '../../products/schema.ts';
import type { GivenFlag } from './requests.ts';
import { FLAGS, type FlagItem, type NamedFlag, type RecordedFlag } from './schema.ts';

/** What flags are set on. */
export interface FlagContext {
  caller: Caller;
  /** the types that are available there, inactive ones included */
  types: readonly FlagTypeItem[];
  /** by normalized login */
  users: ReadonlyMap<string, UserItem>;
  /** whether a requestee may see the bug, and the attachment */
  maySee: (requestee: Caller) => boolean;
}

/** The id and the times of a flag that are known when it is written. */
const UNNUMBERED = 0;
const NOW = '';

/** What a new flag has before it is written. */
export const NEW_FLAG = { id: UNNUMBERED, creation_date: NOW, modification_date: NOW };

/** So that the flags of a bug take at most 25 KB of its item. */
const MAX_FLAGS = 100;
const STATUSES: ReadonlySet<string> = new Set(['+', '-', '?', 'X']);

/**
 * The flags that are valid under the current flag types: without flags whose type is not available any more, and without
 * requestees where the type does not allow them. What is stored is cleaned up by the next write of the bug or attachment.
 *
 * @param types that are available in the product and component of the bug
 */
export function currentFlags(flags: readonly FlagItem[], types: readonly FlagTypeItem[]): FlagItem[] {
  return flags.flatMap((flag) => {
    const type = types.find(({ id }) => id === flag.type_id);
    if (type === undefined) return [];
    return [type.is_requesteeble || flag.requestee === null ? flag : { ...flag, requestee: null }];
  });
}

/** The result of currentFlags, with the names of the types. @param types as for currentFlags */
export function namedFlags(flags: readonly FlagItem[], types: readonly FlagTypeItem[]): NamedFlag[] {
  const names = new Map(types.map(({ id, name }) => [id, name]));
  return currentFlags(flags, types).map(
    ({ id, type_id, status, setter, requestee, creation_date, modification_date }) => ({
      ...{ id, type_id, name: names.get(type_id) ?? '' },
      ...{ status, setter, requestee, creation_date, modification_date },
    }),
  );
}

/**
 * Sets, changes and clears flags. New and changed ones get their ids and times when they are written.
 * functions/bugs/README.md 7.
 */
export function setFlags(
  stored: readonly FlagItem[],
  given: readonly GivenFlag[],
  context: FlagContext,
): FlagItem[] {
  const current = currentFlags(stored, context.types);
  const flags: (FlagItem | undefined)[] = [...current];
  for (const one of given) {
    const { index, type } = findFlag(current, one, context);
    const existing = index === undefined ? undefined : current[index];
    const changed = changedFlag(existing, type, one, context);
    if (index === undefined) flags.push(changed);
    else flags[index] = changed;
  }
  const left = flags.filter((flag) => flag !== undefined);
  for (const { type_id } of left.filter(isNewFlag)) {
    const type = context.types.find(({ id }) => id === type_id);
    const isSecond = left.filter((flag) => flag.type_id === type_id).length > 1;
    if (type?.is_multiplicable === false && isSecond) throw errors.flagNotMultiplicable(type.name);
  }
  if (left.length > MAX_FLAGS && left.length > current.length) {
    throw errors.requestTooLarge(`at most ${MAX_FLAGS} flags on a bug or an attachment`);
  }
  return left;
}

/** Whether a request names a flag: by its id, else by that of its type, else by its name. */
export function isNamed(
  { id, type_id, name }: GivenFlag,
  flag: FlagItem,
  types: readonly FlagTypeItem[],
): boolean {
  if (id !== undefined) return String(flag.id) === id.trim();
  if (type_id !== undefined) return String(flag.type_id) === type_id.trim();
  return types.some((type) => type.id === flag.type_id && type.name === name);
}

/** The flag that a request changes, by its index, or the type of a new one. */
function findFlag(
  current: readonly FlagItem[],
  given: GivenFlag,
  { types }: FlagContext,
): { index: number | undefined; type: FlagTypeItem | undefined } {
  const { id, type_id, name, new: isNew = false } = given;
  const [index, ...further] = [...current.entries()].flatMap(([at, flag]) =>
    isNamed(given, flag, types) ? [at] : [],
  );
  if (id !== undefined) {
    if (index === undefined) throw errors.flagUnknown(id);
    return { index, type: types.find((type) => type.id === current[index]?.type_id) };
  }
  const wanted = type_id ?? name;
  if (wanted === undefined) throw errors.parameterMissing('flags');
  const [type, ...others] =
    type_id === undefined
      ? types.filter((one) => one.name === name)
      : types.filter((one) => String(one.id) === type_id.trim());
  if (others.length > 0) throw errors.flagTypeNotUnique(wanted);
  if (type === undefined) throw errors.flagUnknown(wanted);
  if (isNew) return { index: undefined, type };
  if (further.length > 0) throw errors.flagNotUnique(wanted);
  return { index, type };
}

/** A flag after a change; undefined: it is cleared. */
function changedFlag(
  existing: FlagItem | undefined,
  type: FlagTypeItem | undefined,
  given: GivenFlag,
  context: FlagContext,
): FlagItem | undefined {
  const { status = '' } = given;
  const name = type?.name ?? '';
  const isRequestable = type?.is_requestable ?? true;
  if (!STATUSES.has(status) || (status === '?' && !isRequestable && existing?.status !== '?')) {
    throw errors.flagStatusInvalid(name, status);
  }
  if (status === 'X') return undefined;
  if (existing === undefined && type?.is_active === false) throw errors.flagTypeInactive(name);
  const requestee = status === '?' ? readRequestee(existing, type, given, context) : null;
  const isSame = existing?.status === status;
  if (existing !== undefined && isSame && existing.requestee === requestee) return existing;
  if (!isSame && !maySet(type, status, context.caller)) throw errors.flagNotAllowed(name, status);
  const setter = isSame ? (existing?.setter ?? '') : (context.caller.user?.login ?? '');
  return {
    ...existing,
    id: existing?.id ?? UNNUMBERED,
    type_id: existing?.type_id ?? type?.id ?? UNNUMBERED,
    status,
    setter,
    requestee,
    creation_date: existing?.creation_date ?? NOW,
    modification_date: NOW,
  };
}

/** The requestee: the stored spelling of the login; null: the flag has none. */
function readRequestee(
  existing: FlagItem | undefined,
  type: FlagTypeItem | undefined,
  { requestee: given }: GivenFlag,
  { users, maySee }: FlagContext,
): string | null {
  const login = given?.trim() ?? '';
  if (login === '') return null;
  if (type?.is_requesteeble === false) throw errors.flagRequesteeNotAllowed(type.name);
  const user = users.get(normalizeName(login));
  if (user === undefined) throw errors.userUnknown(login);
  if (user.login === existing?.requestee) return user.login;
  const asked = callerOf(user);
  // Who is asked sees the bug or attachment, and may grant the flag.
  const mayBeAsked = user.disabled === undefined && maySee(asked) && maySet(type, '+', asked);
  if (!mayBeAsked) throw errors.flagRequesteeDenied(user.login);
  return user.login;
}

/** The logins that flags ask, but did not before. */
export function newRequestees(before: readonly FlagItem[], after: readonly FlagItem[]): string[] {
  const known = new Map(before.map(({ id, requestee }) => [id, requestee]));
  return after.flatMap(({ id, requestee }) =>
    requestee === null || known.get(id) === requestee ? [] : [requestee],
  );
}

/** Whether a flag has no id yet. */
export const isNewFlag = ({ id }: Pick<FlagItem, 'id'>): boolean => id === UNNUMBERED;

/** Gives new and changed flags their times. @param time `YYYY-MM-DDThh:mm:ssZ` */
export const dateFlags = (flags: readonly FlagItem[], time: string): FlagItem[] =>
  flags.map((flag) => ({
    ...flag,
    creation_date: flag.creation_date === NOW ? time : flag.creation_date,
    modification_date: flag.modification_date === NOW ? time : flag.modification_date,
  }));

/** A flag as histories have it: `needinfo?(plain@example.com)`. */
const flagText = ({ name, status, requestee }: Pick<NamedFlag, 'name' | 'status' | 'requestee'>): string =>
  `${name}${status}${requestee === null ? '' : `(${requestee})`}`;

/**
 * What a change did to flags, in the order of histories.
 *
 * @param types that are available, before or after
 * @param attachment id of the attachment that has them; undefined: the bug
 */
export function flagChanges(
  before: readonly FlagItem[],
  after: readonly FlagItem[],
  types: readonly FlagTypeItem[],
  attachment?: number,
): RecordedFlag[] {
  if (before === after) return [];
  const target = attachment === undefined ? {} : { attachment_id: attachment };
  const known = new Set(before.map(({ id }) => id));
  const named = (flag: FlagItem | undefined) => flag && namedFlags([flag], types)[0];
  const pairs = [
    ...before.map((was) => ({ was, is: after.find(({ id }) => id === was.id) })),
    ...after.filter(({ id }) => !known.has(id)).map((is) => ({ was: undefined, is })),
  ];
  const compare = inOrder(types);
  return pairs
    .flatMap(({ was, is }) => {
      const flag = was ?? is;
      if (flag === undefined || (was && is && isSameState(was, is))) return [];
      const [old, now] = [named(was), named(is)];
      const { name } = old ?? now ?? { name: '' };
      const isTold = (old && flagText(old)) !== (now && flagText(now));
      const recorded: RecordedFlag = {
        ...{ type_id: flag.type_id, ...(isTold ? { name } : {}), ...target },
        ...(was === undefined ? {} : { before: stateOf(old ?? was) }),
        ...(is === undefined ? {} : { after: stateOf(now ?? is) }),
      };
      return [{ flag: { ...flag, name }, recorded }];
    })
    .sort((a, b) => compare(a.flag, b.flag))
    .map(({ recorded }) => recorded);
}

const stateOf = ({ status, setter, requestee }: FlagItem) => ({ status, setter, requestee });
const isSameState = (a: FlagItem, b: FlagItem): boolean =>
  a.status === b.status && a.setter === b.setter && a.requestee === b.requestee;

/** The same as histories say it: none, or one change. @param flags of the bug, or of one attachment */
export function flagTexts(flags: readonly RecordedFlag[]) {
  const textsOf = (which: 'before' | 'after') =>
    flags.flatMap(({ name, [which]: state }) =>
      name === undefined || state === undefined ? [] : [flagText({ name, ...state })],
    );
  const [removed, added] = [textsOf('before').join(', '), textsOf('after').join(', ')];
  const { attachment_id } = flags[0] ?? {};
  const target = attachment_id === undefined ? {} : { attachment_id };
  return removed + added === '' ? [] : [{ field_name: FLAGS, removed, added, ...target }];
}

/** A flag in the interface. */
export type PresentedFlag = Omit<NamedFlag, 'requestee'> & { requestee?: string };

/**
 * Flags in the interface, ordered by their types and ids.
 *
 * @param types as for currentFlags
 */
export function presentFlags(flags: readonly FlagItem[], types: readonly FlagTypeItem[]): PresentedFlag[] {
  return namedFlags(flags, types).sort(inOrder(types)).map(presentedFlag);
}

/** A flag in the interface, which has a requestee or none. */
export const presentedFlag = ({ requestee, ...flag }: NamedFlag): PresentedFlag => ({
  ...flag,
  ...(requestee === null ? {} : { requestee }),
});

/** The order of flags: that of their types, then of their ids; new ones, which have none yet, come last. */
function inOrder(types: readonly FlagTypeItem[]): (a: NamedFlag, b: NamedFlag) => number {
  const sortKeys = new Map(types.map(({ id, sort_key }) => [id, sort_key]));
  const sortKey = ({ type_id }: NamedFlag) => sortKeys.get(type_id) ?? 0;
  const isNew = (flag: NamedFlag) => Number(isNewFlag(flag));
  return (a, b) =>
    sortKey(a) - sortKey(b) || compareNames(a.name, b.name) || isNew(a) - isNew(b) || a.id - b.id;
}

/** The names of flags with their status, as searches compare them. */
export const searchedFlags = (flags: readonly NamedFlag[]): string[] =>
  flags.map(({ name, status }) => `${name}${status}`).sort(compareNames);
