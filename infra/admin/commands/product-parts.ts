import { type Command, InvalidArgumentError, Option } from 'commander';
import { normalizeName, trim } from '../../../lib/base/text.ts';
import { userRepository } from '../../../lib/people/repository.ts';
import { productAuditChanges } from '../../../lib/products/audit.ts';
import { addComponent, updateComponent } from '../../../lib/products/change-component.ts';
import { addRelease, updateRelease } from '../../../lib/products/change-release.ts';
import { checkComponent } from '../../../lib/products/check-component.ts';
import { productDocumentRepository } from '../../../lib/products/document-repository.ts';
import {
  type ChangePart,
  partNamed,
  RELEASES,
  type ReleaseKind,
  savePart,
} from '../../../lib/products/parts.ts';
import { productRepository } from '../../../lib/products/repository.ts';
import type { ComponentItem, ProductWithParts, ReleaseItem } from '../../../lib/products/schema.ts';
import { audited } from '../audit/audited.ts';
import { type Context, print, repeatable, UsageError } from '../context.ts';

interface ReleaseOptions {
  sortKey?: string;
  close?: boolean;
  open?: boolean;
}

interface ComponentOptions extends ReleaseOptions {
  name?: string;
  description?: string;
  assignee?: string;
  qaContact?: string;
  cc: string[];
}

/** `component|version|milestone add PRODUCT NAME`, `… change PRODUCT NAME`, `… list PRODUCT` */
export function productPartsCommands(program: Command, open: () => Promise<Context>): void {
  componentCommand(program, open);
  for (const kind of ['version', 'milestone'] as const) releaseCommand(program, kind, open);
}

function componentCommand(program: Command, open: () => Promise<Context>): void {
  const command = program.command('component').description('add, change and list components of a product');
  const described = (one: Command, isNew: boolean) =>
    withSortKey(one)
      .addOption(new Option('--description <TEXT>', 'what it is').makeOptionMandatory(isNew))
      .addOption(new Option('--assignee <LOGIN>', 'whom new bugs are assigned to').makeOptionMandatory(isNew))
      .option('--qa-contact <LOGIN>', "QA contact of new bugs; '' for none")
      .option('--cc <LOGIN>', 'a user whom new bugs have on CC; repeatable', repeatable, []);
  described(command.command('add'), true)
    .description('add a component')
    .action(async (product: string, name: string, options: ComponentOptions) =>
      changeProduct(await open(), product, async (context) => {
        const fields = await componentFields(context, options, name);
        return addComponent(await documentsOf(context).allocateComponentId(), fields);
      }),
    );
  closable(described(command.command('change'), false))
    .description('change a component; its bugs stay in it')
    .option('--name <NAME>', 'another name')
    .action(async (product: string, given: string, options: ComponentOptions) =>
      changeProduct(await open(), product, async (context, { components }) => {
        const before = requirePart(components, given);
        return updateComponent(before, await componentFields(context, options, options.name));
      }),
    );
  listCommand(command, open, ({ components }) => components);
}

function releaseCommand(program: Command, kind: ReleaseKind, open: () => Promise<Context>): void {
  const parts = RELEASES[kind];
  const command = program.command(kind).description(`add, change and list ${parts} of a product`);
  withSortKey(command.command('add'))
    .description(`add a ${kind}`)
    .action(async (product: string, name: string, options: ReleaseOptions) =>
      changeProduct(await open(), product, async (context) =>
        addRelease(kind, await documentsOf(context).allocateReleaseId(kind), {
          name,
          ...orderAndState(options),
        }),
      ),
    );
  closable(withSortKey(command.command('change')))
    .description(`change a ${kind}; bugs keep it`)
    .action(async (product: string, name: string, options: ReleaseOptions) =>
      changeProduct(await open(), product, async (_, existing) =>
        updateRelease(kind, requirePart(existing[parts], name), orderAndState(options)),
      ),
    );
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

function wholeNumber(text: string): string {
  if (/^\d{1,5}$/.test(text)) return text;
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
 * Changes a part of a product by the rules of REST, with an entry of the audit log, and prints it.
 *
 * @param changeOf checks what is given, and says what is changed
 * @throws BugzillaError where a rule is broken
 */
async function changeProduct(
  context: Context,
  name: string,
  changeOf: (
    context: Context,
    existing: ProductWithParts,
  ) => Promise<ChangePart<ComponentItem> | ChangePart<ReleaseItem>>,
): Promise<void> {
  const changed = await audited(context, async (notes) => {
    const first = await requireProduct(context, name);
    const change = await changeOf(context, first);
    const noted: ChangePart<ComponentItem | ReleaseItem> = (existing) => {
      const changed = change(existing);
      notes.changes = productAuditChanges(existing, changed.desired);
      return changed;
    };
    const readAgain = () => requireProduct(context, name);
    notes.counts = { products: 1 };
    return savePart(documentsOf(context), context.table.retryTimeoutMs, { first, readAgain }, noted);
  });
  print(context, changed, [partLine(changed)]);
}

function requirePart<T extends { name: string }>(parts: readonly T[], name: string): T {
  const found = partNamed(parts, name);
  if (found === undefined) throw new UsageError(`The product has no '${name}'`);
  return found;
}

const orderAndState = ({ sortKey, close, open }: ReleaseOptions) => ({
  ...(sortKey === undefined ? {} : { sort_key: sortKey }),
  ...(close || open ? { is_active: open === true } : {}),
});

/** What options say of a component, checked. */
function componentFields(
  { table }: Context,
  { description, assignee, qaContact, cc, ...options }: ComponentOptions,
  name: string | undefined,
): Promise<Record<string, unknown>> {
  const { sort_key, is_active } = orderAndState(options);
  return checkComponent(userRepository(table, table.now), {
    ...{ name, description, default_assignee: assignee, default_qa_contact: qaContact },
    default_cc: cc.length === 0 ? undefined : cc,
    ...{ sort_key, is_open: is_active },
  });
}

function partLine(part: ComponentItem | ReleaseItem): string {
  const { id, name, is_active } = part;
  const assignee = 'default_assigned_to' in part ? `  ${part.default_assigned_to}` : '';
  return `${String(id).padStart(5)}  ${name}${assignee}${is_active ? '' : '  closed'}`;
}
