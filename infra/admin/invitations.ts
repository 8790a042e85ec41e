import { escapeInvisible } from '../../lib/base/text.ts';
import { eventBus } from '../../lib/changes/events/bus.ts';
import { accountEntry } from '../../lib/changes/mail/account-messages.ts';
import { isMailable } from '../../lib/changes/mail/recipients.ts';
import type { AccountRepository } from '../../lib/people/account-repository.ts';
import { IMPORTED } from '../../lib/people/schema.ts';
import { withoutKey } from './accounts.ts';
import { accountBusOf, type Context, print } from './context.ts';

const NO_MAIL = `The table has no event bus that could mail them. Use --stack NAME of a stack that is deployed with mail, or start the
service in this folder with npm start.`;

/**
 * Mails each user without an API key how to sign in by mail, and names those whose login is no address. The function `mail`
 * sends 500 of these mails in an hour.
 *
 * @returns the number of users who are invited
 * @throws Error where the deployment mails nothing
 */
export async function inviteAll(context: Context, accounts: AccountRepository): Promise<number> {
  const found = await accountBusOf(context);
  if (found === undefined) throw new Error(NO_MAIL);
  const { name, endpoint } = found;
  const bus = eventBus(name, endpoint);
  const invited: string[] = [];
  const withoutAddress: string[] = [];
  for await (const { user } of withoutKey(accounts, (disabled) => disabled === IMPORTED)) {
    if (!isMailable(user)) {
      withoutAddress.push(user.login);
      continue;
    }
    await bus.put([accountEntry({ kind: 'invitation', login: user.login })]);
    invited.push(user.login);
    if (!context.isJson) print(context, undefined, [user.login]);
  }
  if (context.isJson) print(context, { invited, without_address: withoutAddress }, []);
  else if (withoutAddress.length > 0) console.error(escapeInvisible(withoutMail(withoutAddress)));
  return invited.length;
}

const withoutMail = (logins: readonly string[]): string =>
  `Not mailed, because the login is no address: ${logins.join(', ')}. For a key: npm run admin -- key create LOGIN`;
