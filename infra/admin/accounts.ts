import {
  type AccountRepository,
  accountRepository,
  type StoredAccount,
} from '../../lib/people/account-repository.ts';
import type { UserApiKeyItem } from '../../lib/people/schema.ts';
import { type Context, UsageError } from './context.ts';

/** @throws UsageError when the user does not exist */
export async function requireAccount(accounts: AccountRepository, login: string): Promise<StoredAccount> {
  const account = await accounts.read(login);
  if (account === undefined) throw new UsageError(`There is no user '${login}'`);
  return account;
}

/**
 * The accounts without a valid key, but for those who are disabled.
 *
 * @param isWaiting whether who is disabled for this reason is one of them
 */
export async function* withoutKey({ table }: Context, isWaiting: (disabled: string) => boolean) {
  const accounts = accountRepository(table);
  for (const { login, disabled } of await accounts.listUsers()) {
    if (disabled !== undefined && !isWaiting(disabled)) continue;
    const account = await requireAccount(accounts, login);
    if (!account.keys.some(isOwnKey)) yield account;
  }
}

/** Whether a key is valid, and none of a session, which ends. */
const isOwnKey = ({ revoked, expires_at }: UserApiKeyItem): boolean => !revoked && expires_at === undefined;

/** The login of operators who are named in no option. */
export const OPERATOR = 'operator';

/** Who changes bugs, as histories name them: in the stored spelling; the user `operator` is made, who cannot sign in and gets no mails. */
export async function requireOperator({ table }: Pick<Context, 'table'>, login: string) {
  const accounts = accountRepository(table);
  if (login !== OPERATOR) return (await requireAccount(accounts, login)).user;
  const existing = await accounts.read(login);
  if (existing !== undefined) return existing.user;
  const id = await accounts.allocateUserId();
  const user = {
    ...{ id, login, real_name: 'Operator', groups: [], email_enabled: false },
    disabled: 'Commands change bugs under this name.',
  };
  await accounts.write(undefined, { user, keys: [] });
  return user;
}
