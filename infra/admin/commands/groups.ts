import type { Command } from 'commander';
import { applyCatalogue } from '../../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../../lib/catalogue/read.ts';
import { newGroup } from '../../../lib/people/change-groups.ts';
import { groupAuditChange, groupRepository } from '../../../lib/people/group-repository.ts';
import { everyProduct, productRepository } from '../../../lib/products/repository.ts';
import { type GroupControl, productIndexEntry } from '../../../lib/products/schema.ts';
import type { Table } from '../../../lib/table/client.ts';
import { audited } from '../audit/audited.ts';
import { type Context, print } from '../context.ts';

/** `group add NAME`, `group list`, `group close` */
export function groupCommand(program: Command, open: () => Promise<Context>): void {
  const group = program.command('group').description('add and list groups; close products for a rollback');
  group
    .command('add')
    .description('add a group')
    .argument('<NAME>')
    .requiredOption('--description <TEXT>', 'what the group is for')
    .action(async (name: string, { description }: { description: string }) => {
      const context = await open();
      const groups = groupRepository(context.table);
      const added = await audited(context, async (notes) => {
        const desired = await newGroup(groups, { name, description, is_active: true });
        await groups.put([{ existing: undefined, desired }]);
        notes.counts = { groups: 1 };
        notes.changes.push(groupAuditChange({ existing: undefined, desired }));
        return desired;
      });
      print(context, added, [`Added the group '${added.name}' with the id ${added.id}`]);
    });
  group
    .command('list')
    .description('list all groups')
    .action(async () => {
      const context = await open();
      const groups = await groupRepository(context.table).list();
      const lines = groups.map(({ id, name, description }) =>
        `${String(id).padStart(5)}  ${name}  ${description}`.trimEnd(),
      );
      print(context, groups, lines);
    });
  group
    .command('close')
    .description(
      'before a rollback to 1.2.0: close the products for entry in which that would file bugs in public',
    )
    .action(async () => {
      const context = await open();
      const names = await productsOpenTo120(context.table);
      const products = names.map((name) => ({ name, is_active: false }));
      if (names.length > 0) {
        await audited(context, async (notes) => {
          await applyCatalogue(context.table, parseCatalogue({ products }));
          notes.counts = { products: names.length };
        });
      }
      print(context, names, names.length === 0 ? ['None'] : names);
    });
}

/**
 * The names of products that take bugs of which 1.2.0 would leave out groups: it knows no othercontrol, and as members only who
 * joined a group.
 */
async function productsOpenTo120(table: Table): Promise<string[]> {
  const groups = await groupRepository(table).list();
  const withUnknownMembers = new Set([
    ...groups.flatMap(({ member_of = [] }) => member_of),
    ...groups.filter(({ user_regexp = '' }) => user_regexp !== '').map(({ name }) => name),
  ]);
  const isLeftOut = ({ group, membercontrol, othercontrol }: GroupControl) =>
    membercontrol !== 'MANDATORY' &&
    (['DEFAULT', 'MANDATORY'].includes(othercontrol) ||
      (membercontrol === 'DEFAULT' && withUnknownMembers.has(group)));
  const names: string[] = [];
  for await (const { product } of everyProduct(productRepository(table))) {
    const { takes_bugs } = productIndexEntry(product);
    if (takes_bugs && product.group_controls.some(isLeftOut)) names.push(product.name);
  }
  return names;
}
