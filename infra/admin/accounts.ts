import type { AccountRepository, StoredAccount } from '../../lib/people/account-repository.ts';
import type { UserApiKeyItem } from '../../lib/people/schema.ts';
import { UsageError } from './context.ts';

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
export async function* withoutKey(
  accounts: AccountRepository,
  isWaiting: (disabled: string) => boolean,
): AsyncGenerator<StoredAccount> {
  for (const { login, disabled } of await accounts.listUsers()) {
    if (disabled !== undefined && !isWaiting(disabled)) continue;
    const account = await requireAccount(accounts, login);
    if (!account.keys.some(isOwnKey)) yield account;
  }
}

/** Whether a key is valid, and none of a session, which ends. */
const isOwnKey = ({ revoked, expires_at }: UserApiKeyItem): boolean => !revoked && expires_at === undefined;
