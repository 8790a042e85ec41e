import { bit, type Difference, mapConcurrent, type UpdateResult } from '../base/collections.ts';
import { type ListUpdate, type Named, updatedNames } from '../base/names.ts';
import { compareNames, isAllDigits, limitedText, normalizeName, trim } from '../base/text.ts';
import { errors } from '../errors.ts';
import { ConditionFailed } from '../table/errors.ts';
import type { RecordFor } from '../table/idempotency.ts';
import { retryStale } from '../table/retry.ts';
import type { AccountRepository, AccountWrite, StoredAccount } from './account-repository.ts';
import type { AuditChange, AuditNote } from './audit/repository.ts';
import type { GroupRepository } from './group-repository.ts';
import type { NewUser, UserUpdate } from './requests.ts';
import { type UserItem, withPreferences } from './schema.ts';
import {
  checkEmail,
  checkPassword,
  checkUser,
  InvalidAccount,
  MAX_GROUPS_A_USER,
  MAX_REAL_NAME_LENGTH,
} from './validation.ts';

/** In characters. */
const MAX_DENIED_TEXT_LENGTH = 10_000;

interface Repositories {
  accounts: AccountRepository;
  groups: GroupRepository;
}

/** What the audit log has of changes, in the transaction that makes them; undefined: the caller writes the entry. */
type AuditOf = (changes: readonly AuditChange[]) => AuditNote | undefined;

/** Makes sure that a client may create a user of this name: it has an address for a login. @returns the login */
export function checkNewUser({ email, password }: NewUser): string {
  const login = trim(email);
  if (login === '') throw errors.parameterMissing('email');
  checkPassword(password);
  checkEmail(login);
  return login;
}

/**
 * Creates a user, without API keys: the operator adds them.
 *
 * @param given what differs from a user without anything
 */
export async function createUser(
  { accounts, groups }: Repositories,
  login: string,
  given: UserUpdate,
  auditOf: AuditOf,
  recordFor: (id: number) => ReturnType<RecordFor> | undefined = () => undefined,
): Promise<UserItem> {
  const fields = updatedUser({ ...NO_USER, login }, given, await knownGroups(groups, given));
  if ((await accounts.read(login)) !== undefined) throw errors.loginTaken(login);
  try {
    checkUser(fields);
    const user = { ...fields, id: await accounts.allocateUserId() };
    const audit = auditOf([userAuditChange(undefined, user)]);
    await accounts.write(undefined, { user, keys: [] }, recordFor(user.id), [], audit);
    return user;
  } catch (error) {
    if (error instanceof ConditionFailed) throw errors.loginTaken(login);
    throw refusal(error);
  }
}

/**
 * Makes the same update of some users, in one transaction if they have at most 100 items with their API keys; else each in
 * transactions of its own, after all were checked.
 *
 * @param named ids and logins
 */
export async function changeUsers(
  { accounts, groups }: Repositories,
  auditOf: AuditOf,
  named: readonly Named[],
  given: UserUpdate,
): Promise<UpdateResult[]> {
  /** by login, the accounts as they were read to find them */
  const known = new Map<string, StoredAccount>();
  for (const { given: name, byId } of named) {
    const login = byId ? await accounts.loginOf(Number(name)) : name;
    const found = login === undefined ? undefined : (known.get(login) ?? (await accounts.read(login)));
    if (found === undefined) throw byId ? errors.userMissing(name) : errors.userUnknown(name);
    known.set(found.user.login, found);
  }
  if (given.password !== undefined) checkPassword(given.password);
  const update = await withGroupNames(groups, given);
  const groupNames = await knownGroups(groups, update);
  for (const login of known.keys()) await refuseNewLogin(accounts, login, update.email);
  /** @returns undefined when they need several transactions; one user is written in as many as it needs */
  const change = (logins: readonly string[]): Promise<UpdateResult[] | undefined> =>
    retryStale('the users', async (attempt) => {
      const writes = await mapConcurrent(logins, async (login): Promise<AccountWrite> => {
        const existing = (attempt === 1 ? known.get(login) : undefined) ?? (await accounts.read(login));
        if (existing === undefined) throw errors.userUnknown(login);
        const { user, keys } = existing;
        return { existing, desired: { user: updatedUser(user, update, groupNames), keys } };
      });
      const changes = writes.map(({ existing, desired }) => userAuditChange(existing?.user, desired.user));
      const audit = auditOf(changes.filter(({ fields }) => Object.keys(fields).length > 0));
      try {
        const [only] = writes;
        if (writes.length === 1 && only !== undefined) {
          await accounts.write(only.existing, only.desired, undefined, [], audit);
        } else if (!(await accounts.writeTogether(writes, audit))) return undefined;
      } catch (error) {
        throw refusal(error);
      }
      return writes.map(({ desired: { user } }, at) => ({ id: user.id, changes: changes[at]?.fields ?? {} }));
    });
  const together = await change([...known.keys()]);
  if (together !== undefined) return together;
  const changed: UpdateResult[] = [];
  for (const login of known.keys()) changed.push(...((await change([login])) ?? []));
  return changed;
}

/** The groups that an update names. @throws BugzillaError 400 where they are too many */
function namedGroups({ groups, bless_groups }: UserUpdate): string[] {
  const names = [groups, bless_groups].flatMap((list) =>
    list === undefined ? [] : [...list.add, ...list.remove, ...(list.set ?? [])],
  );
  if (names.length > MAX_GROUPS_A_USER)
    throw errors.requestTooLarge(`at most ${MAX_GROUPS_A_USER} groups of a user`);
  return names;
}

/** An update that names groups by their names alone: digits are an id, as in Bugzilla; no name is a number. */
async function withGroupNames(repository: GroupRepository, update: UserUpdate): Promise<UserUpdate> {
  const ids = [...new Set(namedGroups(update).filter(isAllDigits))];
  if (ids.length === 0) return update;
  const names = new Map(
    await mapConcurrent(ids, async (id) => [id, await repository.nameById(Number(id))] as const),
  );
  const named = (given: readonly string[]) => given.map((one) => names.get(one) ?? one);
  const listed = (list: ListUpdate | undefined): ListUpdate | undefined =>
    list && { add: named(list.add), remove: named(list.remove), set: list.set && named(list.set) };
  return { ...update, groups: listed(update.groups), bless_groups: listed(update.bless_groups) };
}

/** The stored spelling of the groups that an update names, by normalized name. */
async function knownGroups(
  repository: GroupRepository,
  update: UserUpdate,
): Promise<ReadonlyMap<string, string>> {
  const names = namedGroups(update);
  const known = new Map((await repository.byNames(names)).map(({ name }) => [normalizeName(name), name]));
  const unknown = names.find((name) => !known.has(normalizeName(name)));
  if (unknown !== undefined) throw errors.groupNotGrantable(unknown);
  return known;
}

/** Logins stand in bugs, histories and comments, so they cannot be changed. */
async function refuseNewLogin(accounts: AccountRepository, login: string, email?: string): Promise<void> {
  const given = email === undefined ? login : trim(email);
  if (given === login) return;
  checkEmail(given);
  const isOther = normalizeName(given) !== normalizeName(login);
  if (isOther && (await accounts.read(given)) !== undefined) throw errors.loginTaken(given);
  throw errors.parameterInvalid('email', 'logins stand in bugs, so they cannot be changed');
}

/** What the audit log has of a user who is written. @param before undefined: a new user */
const userAuditChange = (before: UserItem | undefined, after: UserItem): AuditChange => ({
  kind: 'user',
  name: after.login,
  fields: userChanges(before ?? NO_USER, after),
});

/** The fields of a user who does not exist. */
const NO_USER: UserItem = { id: 0, login: '', real_name: '', groups: [] };

/** Checks what an update makes of a user, but for the names of its groups. @throws BugzillaError, InvalidAccount */
export const checkUpdate = (user: Partial<UserItem>, update: UserUpdate): void =>
  checkUser(updatedUser({ ...NO_USER, ...user }, update, new Map()));

function updatedUser(user: UserItem, update: UserUpdate, names: ReadonlyMap<string, string>): UserItem {
  const { disabled: previous = '', bless_groups, ...rest } = user;
  const disabled =
    update.login_denied_text === undefined
      ? previous
      : limitedText('login_denied_text', update.login_denied_text, MAX_DENIED_TEXT_LENGTH);
  const blessed = updatedList(bless_groups ?? [], update.bless_groups, names);
  return {
    ...withPreferences(rest, {
      real_name: update.full_name && limitedText('full_name', update.full_name, MAX_REAL_NAME_LENGTH),
      email_enabled: update.email_enabled,
    }),
    groups: updatedList(rest.groups, update.groups, names),
    ...(disabled === '' ? {} : { disabled }),
    ...(blessed.length === 0 ? {} : { bless_groups: blessed }),
  };
}

function updatedList(
  current: readonly string[],
  update: ListUpdate | undefined,
  names: ReadonlyMap<string, string>,
): string[] {
  if (update === undefined) return [...current];
  const spelled = (given: readonly string[]) => given.map((name) => names.get(normalizeName(name)) ?? name);
  const added = new Set(update.add.map(normalizeName));
  // Unlike in a list of a bug, what is added stays.
  const remove = update.remove.filter((name) => !added.has(normalizeName(name)));
  const next = updatedNames(current, { ...update, remove }, spelled);
  if (next.length > MAX_GROUPS_A_USER)
    throw errors.requestTooLarge(`at most ${MAX_GROUPS_A_USER} groups of a user`);
  return next;
}

/** What differs, in the format of the response: booleans as '1' and '0', lists with commas. */
function userChanges(before: UserItem, after: UserItem): Record<string, Difference> {
  const [old, next] = [shownFields(before), shownFields(after)];
  const changes = Object.keys(old).flatMap((field) => {
    const [removed, added] = [old[field] ?? [], next[field] ?? []];
    const gone = removed.filter((one) => !added.includes(one));
    const come = added.filter((one) => !removed.includes(one));
    return gone.length + come.length === 0
      ? []
      : [[field, { removed: gone.join(','), added: come.join(',') }]];
  });
  return Object.fromEntries(changes);
}

const shownFields = (user: UserItem): Record<string, string[]> => ({
  full_name: [user.real_name],
  login_denied_text: [user.disabled ?? ''],
  is_enabled: [bit(user.disabled === undefined)],
  disable_mail: [bit(user.email_enabled === false)],
  groups: user.groups.toSorted(compareNames),
  bless_groups: (user.bless_groups ?? []).toSorted(compareNames),
});

/** The parameters of requests by the fields of users. */
const PARAMETERS: ReadonlyMap<string, string> = new Map([
  ['login', 'email'],
  ['real_name', 'full_name'],
  ['disabled', 'login_denied_text'],
]);

/** The error of a request for a rule that a user breaks. */
const refusal = (error: unknown): unknown =>
  error instanceof InvalidAccount
    ? errors.parameterInvalid(PARAMETERS.get(error.field) ?? error.field, `it ${error.problem}`)
    : error;
