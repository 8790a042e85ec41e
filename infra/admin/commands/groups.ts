import { Command } from 'commander';
import { accountRepository } from '../../../lib/users/account-repository.ts';
import { type Context, print, UsageError } from '../context.ts';

/** `group add NAME`, `group list` */
export function groupCommand(open: () => Promise<Context>): Command {
  const group = new Command('group').description('add and list groups');
  group
    .command('add')
    .description('add a group')
    .argument('<NAME>')
    .option('--description <TEXT>', 'what the group is for', '')
    .action(async (name: string, { description }: { description: string }) => {
      const context = await open();
      const accounts = accountRepository(context.table);
      if ((await accounts.groups([name])).length > 0) {
        throw new UsageError(`The group '${name}' already exists`);
      }
      const added = { id: await accounts.allocateGroupId(), name, description };
      await accounts.putGroups([{ existing: undefined, desired: added }]);
      print(context, added, [`Added the group '${name}' with the id ${added.id}`]);
    });
  group
    .command('list')
    .description('list all groups')
    .action(async () => {
      const context = await open();
      const groups = await accountRepository(context.table).listGroups();
      const lines = groups.map(({ id, name, description }) =>
        `${String(id).padStart(5)}  ${name}  ${description}`.trimEnd(),
      );
      print(context, groups, lines);
    });
  return group;
}
