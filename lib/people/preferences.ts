import { limitedText } from '../base/text.ts';
import { errors } from '../errors.ts';
import { retryStale } from '../table/retry.ts';
import type { AccountRepository, StoredAccount } from './account-repository.ts';
import { MAIL_CHANGES, MAIL_ROLES, type MailOff, NOTHING_OFF } from './mail-preferences.ts';
import type { PreferencesUpdate } from './preference-requests.ts';
import {
  givenValues,
  MAX_FIELD_LENGTH,
  shownValues,
  USER_FIELDS,
  type UserValue,
  type UserValues,
  valueIn,
  withValues,
} from './user-fields.ts';
import { textProblem } from './validation.ts';

/** What users decide about themselves, in the interface. */
export interface Preferences extends UserValues {
  mail_off: { roles: readonly string[]; changes: readonly string[] };
}

/** The preferences of a user. */
export async function readPreferences(accounts: AccountRepository, login: string): Promise<Preferences> {
  return preferencesOf(await requireAccount(accounts, login));
}

/** Checks what a request says of the preferences of a user. @returns it, with texts as they are stored */
export function checkPreferences(given: PreferencesUpdate): PreferencesUpdate {
  const { mail_off } = given;
  refuseUnknown('roles', mail_off?.roles, MAIL_ROLES);
  refuseUnknown('changes', mail_off?.changes, MAIL_CHANGES);
  return {
    ...given,
    ...givenValues(USER_FIELDS, ({ name }) => {
      const value = given[name];
      return value === undefined ? undefined : checkValue(name, value);
    }),
  };
}

/**
 * Changes the preferences of a user, and returns them. What is not given stays.
 *
 * @param given checked
 */
export function changePreferences(
  accounts: AccountRepository,
  retryTimeoutMs: number,
  login: string,
  given: PreferencesUpdate,
): Promise<Preferences> {
  return retryStale(retryTimeoutMs, 'the user', async () => {
    const existing = await requireAccount(accounts, login);
    const { user } = existing;
    const before = existing.mailOff ?? NOTHING_OFF;
    const mailOff: MailOff = {
      ...before,
      roles: given.mail_off?.roles ?? before.roles,
      changes: given.mail_off?.changes ?? before.changes,
    };
    const desired = {
      user: withValues(user, USER_FIELDS, (field) => given[field.name] ?? valueIn(user, field)),
      keys: existing.keys,
      mailOff,
    };
    await accounts.write(existing, desired);
    return preferencesOf(desired);
  });
}

const preferencesOf = ({ user, mailOff = NOTHING_OFF }: Pick<StoredAccount, 'user' | 'mailOff'>) => ({
  ...shownValues(USER_FIELDS, user),
  mail_off: {
    roles: MAIL_ROLES.filter((one) => mailOff.roles.includes(one)),
    changes: MAIL_CHANGES.filter((one) => mailOff.changes.includes(one)),
  },
});

async function requireAccount(accounts: AccountRepository, login: string): Promise<StoredAccount> {
  const account = await accounts.read(login);
  if (account === undefined) throw errors.userUnknown(login);
  return account;
}

function checkValue(name: string, given: UserValue): UserValue {
  if (typeof given !== 'string') return given;
  const text = limitedText(name, given, MAX_FIELD_LENGTH);
  const problem = textProblem(text);
  if (problem !== undefined) throw errors.parameterInvalid(name, `it ${problem}`);
  return text;
}

function refuseUnknown(list: string, given: readonly string[] = [], known: readonly string[]): void {
  const unknown = given.find((one) => !known.includes(one));
  if (unknown === undefined) return;
  throw errors.parameterInvalid('mail_off', `there is no '${unknown.slice(0, 100)}' in ${list}`);
}
