import type { Command } from 'commander';
import { parseParameters } from '../../../lib/base/parameters.ts';
import { escapeInvisible } from '../../../lib/base/text.ts';
import { eventBus } from '../../../lib/changes/events/bus.ts';
import { accountEntry } from '../../../lib/changes/mail/account-messages.ts';
import { isMailable } from '../../../lib/changes/mail/recipients.ts';
import { accountRepository, type StoredAccount } from '../../../lib/people/account-repository.ts';
import { newApiKeyRequest } from '../../../lib/people/account-requests.ts';
import { shownHash } from '../../../lib/people/repository.ts';
import { awaitsKey, IMPORTED, type UserApiKeyItem } from '../../../lib/people/schema.ts';
import { addKey, revoke } from '../../../lib/people/sessions.ts';
import { requireAccount, withoutKey } from '../accounts.ts';
import { audited } from '../audit/audited.ts';
import { accountBusOf, type Context, print, UsageError } from '../context.ts';

/** `key create LOGIN`, `key list LOGIN`, `key revoke LOGIN HASH` */
export function keyCommand(program: Command, open: () => Promise<Context>): void {
  const key = program.command('key').description('create, list and revoke API keys');
  key
    .command('create')
    .description('create an API key; it is printed once and not stored')
    .argument('[LOGIN]')
    .option('--all', 'for each user who has no valid key, as CSV: login, real name, key', false)
    .option('--send', 'with --all: mail them how to sign in by mail, and create no keys', false)
    .option('--description <TEXT>', 'what the key is for', '')
    .action(async (login: string | undefined, { all, send, description }: CreateOptions) => {
      if (all === (login !== undefined)) throw new UsageError('Name a LOGIN, or --all users without a key');
      if (send && !all) throw new UsageError('--send is for --all');
      const context = await open();
      await audited(context, async (notes) => {
        if (send) notes.counts = { invitations: await inviteAll(context) };
        else if (login === undefined) notes.counts = { keys: await createAll(context, description) };
        else {
          const { user, key, item } = await createKey(context, login, description);
          print(context, { login: user.login, key, ...item }, [key]);
          notes.counts = { keys: 1 };
        }
      });
    });
  key
    .command('list')
    .description("list the hashes of a user's API keys")
    .argument('<LOGIN>')
    .action(async (login: string) => {
      const context = await open();
      const { keys } = await requireAccount(accountRepository(context.table), login);
      const lines = keys.map(({ hash, description, revoked }) =>
        [shownHash(hash), revoked ? 'revoked' : 'valid  ', description].join('  ').trimEnd(),
      );
      print(context, keys, lines.length === 0 ? ['No keys'] : lines);
    });
  key
    .command('revoke')
    .description('revoke an API key')
    .argument('<LOGIN>')
    .argument('<HASH>', 'the first characters of its hash')
    .action(async (login: string, start: string) => {
      const context = await open();
      const accounts = accountRepository(context.table);
      const found = await audited(context, async (notes) => {
        const account = await requireAccount(accounts, login);
        const revoked = findKey(account, start);
        await revoke(accounts, login, ({ hash }) => hash === revoked.hash);
        notes.counts = { keys: 1 };
        return revoked;
      });
      print(context, { ...found, revoked: true }, [`Revoked ${shownHash(found.hash)}`]);
    });
}

interface CreateOptions {
  all: boolean;
  send: boolean;
  description: string;
}

/** Creates a key by the rules of REST. */
function createKey({ table }: Context, login: string, description: string) {
  const [accounts, { now }] = [accountRepository(table), table];
  const about = parseParameters(newApiKeyRequest, new Map([['description', description]]));
  return addKey({ accounts, now }, () => requireAccount(accounts, login), about);
}

/** Creates a key for each user who has none, but for those who are disabled, and prints each as soon as it is valid. @returns the number of keys */
async function createAll(context: Context, description: string): Promise<number> {
  const created: { login: string; real_name: string; key: string }[] = [];
  for await (const { user } of withoutKey(context, awaitsKey)) {
    const { login, real_name } = user;
    const { key } = await createKey(context, login, description);
    created.push({ login, real_name, key });
    if (!context.isJson) print(context, undefined, [[login, real_name, key].map(csvField).join()]);
  }
  if (context.isJson) print(context, created, []);
  return created.length;
}

/** A field of CSV. One that a spreadsheet would take for a formula begins with an apostrophe. */
function csvField(text: string): string {
  const shown = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}

function findKey({ user, keys }: StoredAccount, start: string): UserApiKeyItem {
  if (start === '') throw new UsageError('HASH must not be empty');
  const [found, second] = keys.filter(({ hash }) => hash.startsWith(start));
  if (found === undefined)
    throw new UsageError(`No key of '${user.login}' has a hash that begins with ${start}`);
  if (second !== undefined) {
    throw new UsageError(`Several keys of '${user.login}' have a hash that begins with ${start}`);
  }
  return found;
}

const NO_MAIL = `The table has no event bus that could mail them. Use --stack NAME of a stack that is deployed with mail, or start the
service in this folder with npm start.`;

/**
 * Mails each user without an API key how to sign in by mail, and names those whose login is no address. The function `mail`
 * sends 500 of these mails in an hour.
 *
 * @returns the number of users who are invited
 * @throws Error where the deployment mails nothing
 */
async function inviteAll(context: Context): Promise<number> {
  const found = await accountBusOf(context);
  if (found === undefined) throw new Error(NO_MAIL);
  const { name, endpoint } = found;
  const bus = eventBus(name, endpoint);
  const invited: string[] = [];
  const withoutAddress: string[] = [];
  for await (const { user } of withoutKey(context, (disabled) => disabled === IMPORTED)) {
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
