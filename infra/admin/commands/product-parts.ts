import { type Command, InvalidArgumentError, Option } from 'commander';
import * as z from 'zod';
import { MAX_NAME_LENGTH, nameProblem } from '../../../lib/base/names.ts';
import { normalizeName, trim } from '../../../lib/base/text.ts';
import type { AuditChange } from '../../../lib/people/audit/repository.ts';
import { userRepository } from '../../../lib/people/repository.ts';
import { productAuditChanges } from '../../../lib/products/audit.ts';
import {
  COMPONENT_FIELDS,
  type ComponentField,
  EMPTY_COMPONENT,
} from '../../../lib/products/component-fields.ts';
import {
  type DesiredProduct,
  desiredOf,
  productDocumentRepository,
} from '../../../lib/products/document-repository.ts';
import {
  isDefaultMilestone,
  MAX_PARTS,
  partNamed,
  RELEASES,
  type ReleaseKind,
  withActiveParts,
  withPart,
} from '../../../lib/products/parts.ts';
import { productRepository } from '../../../lib/products/repository.ts';
import {
  type ComponentItem,
  componentItem,
  type ProductWithParts,
  type ReleaseItem,
} from '../../../lib/products/schema.ts';
import { audited } from '../audit/audited.ts';
import { type Context, print, repeatable, UsageError } from '../context.ts';

interface ReleaseOptions {
  sortKey?: number;
  close?: boolean;
  open?: boolean;
}

/** Those of the registry have names of their own. */
interface ComponentOptions extends ReleaseOptions, Record<string, unknown> {
  name?: string;
}

/** A product as it should be, and the part that is printed. */
interface PartChange {
  desired: DesiredProduct;
  part: ComponentItem | ReleaseItem;
}

/** `component|version|milestone add PRODUCT NAME`, `… change PRODUCT NAME`, `… list PRODUCT` */
export function productPartsCommands(program: Command, open: () => Promise<Context>): void {
  componentCommand(program, open);
  for (const kind of ['version', 'milestone'] as const) releaseCommand(program, kind, open);
}

function componentCommand(program: Command, open: () => Promise<Context>): void {
  const command = program.command('component').description('add, change and list components of a product');
  const described = (one: Command, isNew: boolean) => {
    withSortKey(one);
    for (const field of COMPONENT_FIELDS) one.addOption(fieldOption(field, isNew));
    return one;
  };
  described(command.command('add'), true)
    .description('add a component')
    .action(async (product: string, name: string, options: ComponentOptions) => {
      const context = await open();
      await changeProduct(context, product, async (existing) => {
        requireNew(existing.components, name);
        const id = await documentsOf(context).allocateComponentId();
        const part = componentItem.parse({
          ...{ ...EMPTY_COMPONENT, id, name, is_active: true, sort_key: 0 },
          ...(await componentFields(context, options)),
        });
        return { desired: { ...desiredOf(existing), components: withPart(existing.components, part) }, part };
      });
    });
  closable(described(command.command('change'), false))
    .description('change a component; its bugs stay in it')
    .option('--name <NAME>', 'another name')
    .action(async (product: string, given: string, options: ComponentOptions) => {
      const context = await open();
      await changeProduct(context, product, async (existing) => {
        const before = requirePart(existing.components, given);
        const others = existing.components.filter(({ id }) => id !== before.id);
        const name = options.name ?? before.name;
        if (name !== before.name) requireNew(others, name);
        const part = componentItem.parse({ ...before, ...(await componentFields(context, options)), name });
        return { desired: { ...desiredOf(existing), components: withPart(others, part) }, part };
      });
    });
  listCommand(command, open, ({ components }) => components);
}

function releaseCommand(program: Command, kind: ReleaseKind, open: () => Promise<Context>): void {
  const parts = RELEASES[kind];
  const command = program.command(kind).description(`add, change and list ${parts} of a product`);
  withSortKey(command.command('add'))
    .description(`add a ${kind}`)
    .action(async (product: string, name: string, { sortKey = 0 }: ReleaseOptions) => {
      const context = await open();
      await changeProduct(context, product, async (existing) => {
        requireNew(existing[parts], name);
        const id = await documentsOf(context).allocateReleaseId(kind);
        const part: ReleaseItem = { id, name, sort_key: sortKey, is_active: true };
        return { desired: { ...desiredOf(existing), [parts]: withPart(existing[parts], part) }, part };
      });
    });
  closable(withSortKey(command.command('change')))
    .description(`change a ${kind}; bugs keep it`)
    .action(async (product: string, name: string, options: ReleaseOptions) => {
      const context = await open();
      await changeProduct(context, product, async (existing) => {
        const before = requirePart(existing[parts], name);
        if (options.close && isDefaultMilestone(existing, kind, before))
          throw new UsageError(`'${before.name}' is the default milestone`);
        const part: ReleaseItem = { ...before, ...orderAndState(options) };
        return { desired: { ...desiredOf(existing), [parts]: withPart(existing[parts], part) }, part };
      });
    });
  listCommand(command, open, (product) => product[parts]);
}

const withSortKey = (command: Command): Command =>
  command
    .argument('<PRODUCT>')
    .argument('<NAME>')
    .option('--sort-key <NUMBER>', 'lower ones come first', wholeNumber);

const closable = (command: Command): Command =>
  command
    .option('--close', 'take no further bugs')
    .addOption(new Option('--open', 'undo --close').conflicts('close'));

function wholeNumber(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number from 0 to 99999.');
}

function listCommand(
  command: Command,
  open: () => Promise<Context>,
  partsOf: (product: ProductWithParts) => readonly (ComponentItem | ReleaseItem)[],
): void {
  command
    .command('list')
    .description('list them')
    .argument('<PRODUCT>')
    .action(async (name: string) => {
      const context = await open();
      const parts = partsOf(await requireProduct(context, name));
      const sorted = parts.toSorted((a, b) => a.sort_key - b.sort_key || a.id - b.id);
      print(context, sorted, sorted.map(partLine));
    });
}

const documentsOf = ({ table }: Context) => productDocumentRepository(table);

async function requireProduct({ table }: Context, name: string): Promise<ProductWithParts> {
  const products = productRepository(table);
  const id = (await products.idsByName([trim(name)])).get(normalizeName(trim(name)));
  const product = id === undefined ? undefined : await products.withParts(id);
  if (product === undefined) throw new UsageError(`There is no product '${name}'`);
  return product;
}

/**
 * Changes the parts of a product, with an entry of the audit log, and prints the part.
 *
 * @throws UsageError; ConditionFailed where the product was changed meanwhile
 */
async function changeProduct(
  context: Context,
  name: string,
  change: (existing: ProductWithParts) => Promise<PartChange>,
): Promise<void> {
  const changes: AuditChange[] = [];
  const changed = await audited(
    context,
    () => ({ products: 1 }),
    async () => {
      const existing = await requireProduct(context, name);
      const { desired, part } = await change(existing);
      const { product: _, ...parts } = desired;
      if (Object.values(parts).some(({ length }) => length > MAX_PARTS)) {
        throw new UsageError(`A product has at most ${MAX_PARTS} of each`);
      }
      changes.push(...productAuditChanges(existing, desired));
      await documentsOf(context).saveTogether([{ existing, desired: withActiveParts(desired) }]);
      return part;
    },
    { changes },
  );
  print(context, changed, [partLine(changed)]);
}

function requirePart<T extends { name: string }>(parts: readonly T[], name: string): T {
  const found = partNamed(parts, name);
  if (found === undefined) throw new UsageError(`The product has no '${name}'`);
  return found;
}

/** @throws UsageError where a name is invalid, or that of another part */
function requireNew(others: readonly { name: string }[], name: string): void {
  const problem = nameProblem(name, MAX_NAME_LENGTH);
  if (problem !== undefined) throw new UsageError(`The name ${problem}`);
  if (partNamed(others, name) !== undefined) {
    throw new UsageError(`The product has '${name}' already`);
  }
}

const orderAndState = ({ sortKey, close, open }: ReleaseOptions): Partial<ReleaseItem> => ({
  ...(sortKey === undefined ? {} : { sort_key: sortKey }),
  ...(close ? { is_active: false } : {}),
  ...(open ? { is_active: true } : {}),
});

function fieldOption({ kind, option: { flags, text } }: ComponentField, isNew: boolean): Option {
  const option = new Option(flags, text).makeOptionMandatory(isNew && kind === 'login');
  return kind === 'logins' ? option.argParser(repeatable).default([]) : option;
}

/** What options say of a component; logins in their stored spelling. @throws UsageError naming an unknown user */
async function componentFields(
  { table }: Context,
  options: ComponentOptions,
): Promise<Record<string, unknown>> {
  const given = COMPONENT_FIELDS.flatMap((field) => {
    const value = z
      .union([z.string(), z.array(z.string())])
      .safeParse(options[new Option(field.option.flags).attributeName()]).data;
    return value === undefined || (Array.isArray(value) && value.length === 0) ? [] : [{ ...field, value }];
  });
  const people = given.filter(({ kind }) => kind !== 'text').flatMap(({ value }) => value);
  const known = await userRepository(table, table.now).byLogins(people.filter((login) => login !== ''));
  const spelled = (login: string): string => {
    const user = known.get(normalizeName(login));
    if (user === undefined) throw new UsageError(`There is no user '${login}'`);
    return user.login;
  };
  return {
    ...orderAndState(options),
    ...Object.fromEntries(
      given.map(({ name, kind, value }) => {
        if (Array.isArray(value)) return [name, value.map(spelled)];
        const isKept = kind === 'text' || (kind === 'login or none' && value === '');
        return [name, isKept ? value : spelled(value)];
      }),
    ),
  };
}

function partLine(part: ComponentItem | ReleaseItem): string {
  const { id, name, is_active } = part;
  const assignee = 'default_assigned_to' in part ? `  ${part.default_assigned_to}` : '';
  return `${String(id).padStart(5)}  ${name}${assignee}${is_active ? '' : '  closed'}`;
}
