import { limitedText } from '../base/text.ts';
import { errors } from '../errors.ts';
import { retryStale } from '../table/retry.ts';
import type { AccountRepository, StoredAccount } from './account-repository.ts';
import { MAIL_CHANGES, MAIL_ROLES, type MailOff, NOTHING_OFF } from './mail-preferences.ts';
import type { PreferencesUpdate } from './preference-requests.ts';
import { withPreferences } from './schema.ts';
import { MAX_REAL_NAME_LENGTH, textProblem } from './validation.ts';

/** The preferences of a user. */
export async function readPreferences(accounts: AccountRepository, login: string): Promise<Preferences> {
  return preferencesOf(await requireAccount(accounts, login));
}

/** Checks what a request says of the preferences of a user. @returns it, with texts as they are stored */
export function checkPreferences(given: PreferencesUpdate): PreferencesUpdate {
  const { mail_off } = given;
  refuseUnknown('roles', mail_off?.roles, MAIL_ROLES);
  refuseUnknown('changes', mail_off?.changes, MAIL_CHANGES);
  if (given.real_name === undefined) return given;
  const real_name = limitedText('real_name', given.real_name, MAX_REAL_NAME_LENGTH);
  const problem = textProblem(real_name);
  if (problem !== undefined) throw errors.parameterInvalid('real_name', `it ${problem}`);
  return { ...given, real_name };
}

/**
 * Changes the preferences of a user, and returns them. What is not given stays.
 *
 * @param given checked
 */
export function changePreferences(
  accounts: AccountRepository,
  login: string,
  given: PreferencesUpdate,
): Promise<Preferences> {
  return retryStale('the user', async () => {
    const existing = await requireAccount(accounts, login);
    const before = existing.mailOff ?? NOTHING_OFF;
    const mailOff: MailOff = {
      ...before,
      roles: given.mail_off?.roles ?? before.roles,
      changes: given.mail_off?.changes ?? before.changes,
    };
    const desired = { user: withPreferences(existing.user, given), keys: existing.keys, mailOff };
    await accounts.write(existing, desired);
    return preferencesOf(desired);
  });
}

/** What users decide about themselves, in the interface. */
const preferencesOf = ({ user, mailOff = NOTHING_OFF }: Pick<StoredAccount, 'user' | 'mailOff'>) => ({
  real_name: user.real_name,
  email_enabled: user.email_enabled ?? true,
  mail_off: {
    roles: MAIL_ROLES.filter((one) => mailOff.roles.includes(one)),
    changes: MAIL_CHANGES.filter((one) => mailOff.changes.includes(one)),
  },
});
export type Preferences = ReturnType<typeof preferencesOf>;

async function requireAccount(accounts: AccountRepository, login: string): Promise<StoredAccount> {
  const account = await accounts.read(login);
  if (account === undefined) throw errors.userUnknown(login);
  return account;
}

function refuseUnknown(list: string, given: readonly string[] = [], known: readonly string[]): void {
  const unknown = given.find((one) => !known.includes(one));
  if (unknown === undefined) return;
  throw errors.parameterInvalid('mail_off', `there is no '${unknown.slice(0, 100)}' in ${list}`);
}
