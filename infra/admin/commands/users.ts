import { applyCatalogue } from '../../../lib/catalogue/apply.ts';
import { Groups } from '../../../lib/catalogue/apply-groups.ts';
import { parseCatalogue } from '../../../lib/catalogue/schema.ts';
import { allocateIds } from '../../../lib/dynamodb/counters.ts';
import { EDIT_COMPONENTS } from '../../../lib/users/caller.ts';
import { allUsers, groupsOf } from '../../../lib/users/listing.ts';
import type { UserItem } from '../../../lib/users/schema.ts';
import { readUser, writeUser } from '../../../lib/users/write-user.ts';
import { type Context, show } from '../context.ts';
import { type Command, readArguments, UsageError } from '../usage.ts';

const several = { type: 'string', multiple: true, default: [] as string[] } as const;

export const addUser: Command = {
  words: ['user', 'add'],
  parameters: 'LOGIN [--name NAME] [--group GROUP]...',
  help: 'add a user',
  async run(args, context) {
    const { positionals, values } = readArguments(args, ['LOGIN'], {
      name: { type: 'string', default: '' },
      group: several,
    });
    const [login = ''] = positionals;
    if (/\s/.test(login)) throw new UsageError('A login has no white space');
    if ((await readUser(context.table, login)) !== undefined)
      throw new UsageError(`'${login}' is there already`);
    const groups = await namesOf(context, values.group);
    const user: UserItem = {
      id: await allocateIds(context.table, 'user'),
      login,
      real_name: values.name,
      groups,
    };
    await writeUser(context.table, undefined, { user, keys: [] });
    show(context, user, [
      `Added ${described(user)}`,
      `Give them a key: npm run admin -- key create ${login}`,
    ]);
  },
};

export const changeUser: Command = {
  words: ['user', 'change'],
  parameters: 'LOGIN [--name NAME] [--join GROUP]... [--leave GROUP]... [--disable REASON | --enable]',
  help: 'change a user; their keys follow at once',
  async run(args, context) {
    const { positionals, values } = readArguments(args, ['LOGIN'], {
      name: { type: 'string' },
      join: several,
      leave: several,
      disable: { type: 'string' },
      enable: { type: 'boolean', default: false },
    });
    const [login = ''] = positionals;
    const existing = await readUser(context.table, login);
    if (existing === undefined) throw new UsageError(`There is no user '${login}'`);
    const joined = await namesOf(context, values.join);
    const left = new Set(await namesOf(context, values.leave));
    const { disabled, ...rest } = existing.user;
    const reason = values.enable ? undefined : (values.disable ?? disabled);
    const user: UserItem = {
      ...rest,
      real_name: values.name ?? rest.real_name,
      groups: [...new Set([...rest.groups, ...joined])].filter((group) => !left.has(group)),
      ...(reason === undefined ? {} : { disabled: reason }),
    };
    await writeUser(context.table, existing, { user, keys: existing.keys });
    show(context, user, [described(user)]);
  },
};

export const listUsers: Command = {
  words: ['user', 'list'],
  parameters: '',
  help: 'list all users',
  async run(args, context) {
    readArguments(args, [], {});
    const users = await allUsers(context.table);
    show(context, users, users.map(described));
  },
};

/**
 * The names of groups, in their own spelling. A group that gives rights is made if nobody has needed it so far.
 *
 * @throws CatalogueError naming another group that is not there
 */
async function namesOf({ table, settings }: Context, names: string[]): Promise<string[]> {
  const giveRights = new Set([
    EDIT_COMPONENTS,
    settings.INSIDER_GROUP,
    settings.TIMETRACKING_GROUP,
    settings.COMMENT_TAGGERS_GROUP,
  ]);
  const there = new Set((await groupsOf(table, names)).map(({ name }) => name));
  const missing = names.filter((name) => giveRights.has(name) && !there.has(name));
  if (missing.length > 0) {
    await applyCatalogue(table, parseCatalogue({ groups: [...new Set(missing)].map((name) => ({ name })) }));
  }
  const groups = new Groups(await groupsOf(table, names));
  return names.map((name) => groups.named(name, '--group').name);
}

function described({ id, login, real_name, groups, disabled }: UserItem): string {
  const state = disabled === undefined ? '' : `  disabled: ${disabled}`;
  return `${String(id).padStart(5)}  ${login}  ${real_name}  [${groups.join(', ')}]${state}`;
}
