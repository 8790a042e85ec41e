import { accountRepository } from '../../lib/people/account-repository.ts';
import { requireAccount } from './accounts.ts';
import type { Context } from './context.ts';

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
