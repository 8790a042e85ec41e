import { randomBytes } from 'node:crypto';
import { hashOf } from '../../../lib/users/repository.ts';
import type { UserApiKeyItem } from '../../../lib/users/schema.ts';
import { readUser, type StoredUser, writeUser } from '../../../lib/users/write-user.ts';
import { type Context, show } from '../context.ts';
import { type Command, readArguments, UsageError } from '../usage.ts';

/** As long as Bugzilla's, of the same letters and digits. */
const KEY_LENGTH = 40;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export const createKey: Command = {
  words: ['key', 'create'],
  parameters: 'LOGIN [--description TEXT]',
  help: 'make an API key; it is shown once and kept nowhere',
  async run(args, context) {
    const { positionals, values } = readArguments(args, ['LOGIN'], {
      description: { type: 'string', default: '' },
    });
    const existing = await userNamed(context, positionals[0]);
    const key = randomKey();
    const added: UserApiKeyItem = { hash: hashOf(key), description: values.description, revoked: false };
    await writeUser(context.table, existing, { user: existing.user, keys: [...existing.keys, added] });
    show(context, { login: existing.user.login, key, ...added }, [key]);
  },
};

export const listKeys: Command = {
  words: ['key', 'list'],
  parameters: 'LOGIN',
  help: 'list the hashes of a user’s API keys',
  async run(args, context) {
    const { positionals } = readArguments(args, ['LOGIN'], {});
    const { keys } = await userNamed(context, positionals[0]);
    const lines = keys.map(({ hash, description, revoked }) =>
      [hash.slice(0, 12), revoked ? 'revoked' : 'good   ', description].join('  '),
    );
    show(context, keys, lines.length === 0 ? ['No keys'] : lines);
  },
};

export const revokeKey: Command = {
  words: ['key', 'revoke'],
  parameters: 'LOGIN HASH',
  help: 'revoke an API key, named by the first characters of its hash',
  async run(args, context) {
    const [login, start = ''] = readArguments(args, ['LOGIN', 'HASH'], {}).positionals;
    const existing = await userNamed(context, login);
    const [found, second] = existing.keys.filter(({ hash }) => hash.startsWith(start));
    if (found === undefined)
      throw new UsageError(`No key of '${login}' has a hash that begins with ${start}`);
    if (second !== undefined)
      throw new UsageError(`Several keys of '${login}' have a hash that begins with ${start}`);
    const keys = existing.keys.map((key) => (key === found ? { ...key, revoked: true } : key));
    await writeUser(context.table, existing, { user: existing.user, keys });
    show(context, { ...found, revoked: true }, [`Revoked ${found.hash.slice(0, 12)}`]);
  },
};

async function userNamed({ table }: Context, login = ''): Promise<StoredUser> {
  const user = await readUser(table, login);
  if (user === undefined) throw new UsageError(`There is no user '${login}'`);
  return user;
}

/** Each letter equally likely: bytes beyond the last full round of letters are drawn again. */
function randomKey(): string {
  const fair = 256 - (256 % LETTERS.length);
  let key = '';
  while (key.length < KEY_LENGTH) {
    key += [...randomBytes(KEY_LENGTH)]
      .filter((byte) => byte < fair)
      .map((byte) => LETTERS[byte % LETTERS.length])
      .join('');
  }
  return key.slice(0, KEY_LENGTH);
}
