import { type Command, Option } from 'commander';
import { parseParameters } from '../../../lib/base/parameters.ts';
import { normalizeName } from '../../../lib/base/text.ts';
import { accountRepository } from '../../../lib/people/account-repository.ts';
import type { AuditChange } from '../../../lib/people/audit/repository.ts';
import { rightsGroups } from '../../../lib/people/caller.ts';
import { changeUsers, checkUpdate, createUser } from '../../../lib/people/change-users.ts';
import { groupRepository } from '../../../lib/people/group-repository.ts';
import { userUpdate } from '../../../lib/people/requests.ts';
import type { UserItem } from '../../../lib/people/schema.ts';
import { productAuditChanges } from '../../../lib/products/audit.ts';
import {
  type DesiredProduct,
  desiredOf,
  productDocumentRepository,
} from '../../../lib/products/document-repository.ts';
import { type Duty, dutiesIn } from '../../../lib/products/find-parts.ts';
import { everyProduct, productRepository } from '../../../lib/products/repository.ts';
import type { ProductWithParts } from '../../../lib/products/schema.ts';
import { requireAccount } from '../accounts.ts';
import { type AuditNotes, audited } from '../audit/audited.ts';
import { type Context, print, repeatable, UsageError } from '../context.ts';

interface AddOptions {
  name?: string;
  mail?: boolean;
  group: string[];
}

interface UserOptions extends AddOptions {
  leave: string[];
  disable?: string;
  enable?: boolean;
  handOver?: string;
}

/** `user add LOGIN`, `user change LOGIN`, `user list` */
export function userCommand(program: Command, open: () => Promise<Context>): void {
  const user = program.command('user').description('add, change and list users');
  user
    .command('add')
    .description('add a user')
    .option('--name <NAME>', 'real name', '')
    .argument('<LOGIN>')
    .option('--group <GROUP>', 'a group of the user; repeatable', repeatable, [])
    .action(async (login: string, options: AddOptions) => {
      const context = await open();
      await audited(context, (notes) => addUser(context, login, options, notes));
    });
  user
    .command('change')
    .description("change a user; the user's API keys follow at once")
    .option('--name <NAME>', 'real name')
    .argument('<LOGIN>')
    .option('--group <GROUP>', 'a further group of the user; repeatable', repeatable, [])
    .option('--leave <GROUP>', 'a group that the user leaves; repeatable', repeatable, [])
    .option('--disable <REASON>', 'refuse all requests of the user')
    .addOption(new Option('--enable', 'undo --disable').conflicts('disable'))
    .option('--hand-over <LOGIN>', 'who does in all components, and for flag types, what the user does there')
    .option('--mail', 'undo --no-mail')
    .option('--no-mail', 'send no mails to the user')
    .action(async (login: string, options: UserOptions) => {
      const context = await open();
      await audited(context, (notes) => changeUser(context, login, options, notes));
    });
  user
    .command('duties')
    .description('list what a user does in components and for flag types')
    .argument('<LOGIN>')
    .action(async (login: string) => {
      const context = await open();
      const { user: found } = await requireAccount(accountRepository(context.table), login);
      const duties = await dutiesOf(context, found.login);
      print(context, duties, duties.length === 0 ? ['None'] : dutyLines(duties));
    });
  user
    .command('list')
    .description('list all users')
    .action(async () => {
      const context = await open();
      const users = await accountRepository(context.table).listUsers();
      print(context, users, users.map(describeUser));
    });
}

/** The repositories of users, and what their writers put into the audit log: the entry of the command has it. */
function writing({ table }: Context, { changes }: AuditNotes) {
  const repositories = { accounts: accountRepository(table), groups: groupRepository(table) };
  const auditOf = (found: readonly AuditChange[]) => {
    changes.splice(0, changes.length, ...found);
    return undefined;
  };
  return { repositories, auditOf };
}

/** What options say, as a request of REST says it. */
const updateOf = ({ name, mail }: AddOptions, given: object) =>
  parseParameters(userUpdate, new Map(Object.entries({ full_name: name, email_enabled: mail, ...given })));

async function addUser(context: Context, login: string, options: AddOptions, notes: AuditNotes) {
  const { repositories, auditOf } = writing(context, notes);
  // A group may be created below, so all input is validated before.
  checkUpdate({ login }, updateOf(options, {}));
  const update = updateOf(options, { groups: { add: await groupNames(context, options.group) } });
  const user = await createUser(repositories, login, update, auditOf);
  notes.counts = { users: 1 };
  print(context, user, [
    `Added ${describeUser(user)}`,
    `Create a key for them: npm run admin -- key create ${login}`,
  ]);
}

async function changeUser(context: Context, login: string, options: UserOptions, notes: AuditNotes) {
  const { repositories, auditOf } = writing(context, notes);
  const { accounts } = repositories;
  const { user: existing } = await requireAccount(accounts, login);
  const successor =
    options.handOver === undefined ? undefined : (await requireAccount(accounts, options.handOver)).user;
  if (successor?.disabled !== undefined) throw new UsageError(`'${successor.login}' is disabled`);
  if (options.disable?.trim() === '') throw new UsageError('disabled must give a reason');
  const known = new Set(existing.groups.map(normalizeName));
  const stranger = options.leave.find((name) => !known.has(normalizeName(name)));
  if (stranger !== undefined) throw new UsageError(`'${existing.login}' is not in the group '${stranger}'`);
  // A group may be created below, so all input is validated before.
  checkUpdate(existing, updateOf(options, { login_denied_text: options.disable }));
  const update = updateOf(options, {
    groups: { add: await groupNames(context, options.group), remove: options.leave },
    login_denied_text: options.enable ? '' : options.disable,
  });
  const named = [{ given: login, byId: false }];
  await changeUsers(repositories, auditOf, named, update);
  const { user } = await requireAccount(accounts, login);
  const handed = successor === undefined ? [] : await handOver(context, user.login, successor.login, notes);
  notes.counts = { users: 1, duties: handed.length };
  const left = user.disabled === undefined ? [] : await dutiesOf(context, user.login);
  print(context, { ...user, handed_over: handed, duties: left }, [
    describeUser(user),
    ...(handed.length === 0 ? [] : [`Handed over to ${successor?.login}:`, ...dutyLines(handed)]),
    ...(left.length === 0 ? [] : ['Still theirs, hand it over with --hand-over LOGIN:', ...dutyLines(left)]),
    ...(user.disabled === undefined
      ? []
      : [`Their open bugs: /buglist.cgi?resolution=---&assigned_to=${encodeURIComponent(user.login)}`]),
  ]);
}

/**
 * The stored spelling of group names. A group that gives rights is created when it does not exist yet.
 *
 * @throws UsageError naming a group that does not exist: then none was created
 */
async function groupNames({ table, settings }: Context, names: string[]): Promise<string[]> {
  const repository = groupRepository(table);
  const rights = new Set(rightsGroups(settings).map(normalizeName));
  const existing = new Map((await repository.byNames(names)).map(({ name }) => [normalizeName(name), name]));
  const missing = names.filter((name) => !existing.has(normalizeName(name)));
  const unknown = missing.find((name) => !rights.has(normalizeName(name)));
  if (unknown !== undefined) throw new UsageError(`There is no group '${unknown}'`);
  for (const name of missing) {
    const key = normalizeName(name);
    if (existing.has(key)) continue;
    const desired = { id: await repository.allocateId(), name, description: '' };
    await repository.put([{ existing: undefined, desired }]);
    existing.set(key, name);
  }
  return names.map((name) => existing.get(normalizeName(name)) ?? name);
}

function describeUser({ id, login, real_name, groups, disabled, email_enabled = true }: UserItem): string {
  const state = `${email_enabled ? '' : '  no mail'}${disabled === undefined ? '' : `  disabled: ${disabled.replaceAll('\n', ' ')}`}`;
  return `${String(id).padStart(5)}  ${login}  ${real_name}  [${groups.join(', ')}]${state}`;
}

/** What a user does in the components and for the flag types of all products. */
async function dutiesOf({ table }: Context, login: string): Promise<Duty[]> {
  const found = everyProduct(productRepository(table));
  return (await Array.fromAsync(found, (product) => dutiesIn(product, login))).flat();
}

/**
 * Gives what a user does in components and for flag types to another one, product by product.
 *
 * @returns what was handed over
 * @throws ConditionFailed where a product was changed meanwhile: those before it have been changed
 */
async function handOver({ table }: Context, from: string, to: string, { changes }: AuditNotes) {
  const documents = productDocumentRepository(table);
  const handed: Duty[] = [];
  for await (const existing of everyProduct(productRepository(table))) {
    const duties = dutiesIn(existing, from);
    if (duties.length === 0) continue;
    const desired = replaced(existing, from, to);
    await documents.saveTogether([{ existing, desired }]);
    changes.push(...productAuditChanges(existing, desired));
    handed.push(...duties);
  }
  return handed;
}

/** A product with another user wherever it has this one. */
function replaced(existing: ProductWithParts, from: string, to: string): DesiredProduct {
  const other = (login: string): string => (normalizeName(login) === normalizeName(from) ? to : login);
  const others = (logins: readonly string[]): string[] => [
    ...new Map(logins.map(other).map((login) => [normalizeName(login), login])).values(),
  ];
  const { components, flagTypes, ...rest } = desiredOf(existing);
  return {
    ...rest,
    components: components.map((one) => ({
      ...one,
      default_assigned_to: other(one.default_assigned_to),
      default_qa_contact: other(one.default_qa_contact),
      ...(one.default_cc && { default_cc: others(one.default_cc) }),
    })),
    flagTypes: flagTypes.map((one) => ({ ...one, cc_list: others(one.cc_list) })),
  };
}

/** A line for each. */
const dutyLines = (duties: readonly Duty[]): string[] =>
  duties.map(({ product, component, flag_type, as }) => `  ${as}  ${product}  ${component ?? flag_type}`);
