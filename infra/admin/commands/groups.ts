import type { Command } from 'commander';
import type { AuditChange } from '../../../lib/people/audit/repository.ts';
import { groupAuditChange } from '../../../lib/people/change-groups.ts';
import { groupRepository } from '../../../lib/people/group-repository.ts';
import { audited } from '../audit/audited.ts';
import { type Context, print, UsageError } from '../context.ts';

/** `group add NAME`, `group list` */
export function groupCommand(program: Command, open: () => Promise<Context>): void {
  const group = program.command('group').description('add and list groups');
  group
    .command('add')
    .description('add a group')
    .argument('<NAME>')
    .option('--description <TEXT>', 'what the group is for', '')
    .action(async (name: string, { description }: { description: string }) => {
      const context = await open();
      const groups = groupRepository(context.table);
      const changes: AuditChange[] = [];
      const added = await audited(
        context,
        () => ({ groups: 1 }),
        async () => {
          if ((await groups.byNames([name])).length > 0) {
            throw new UsageError(`The group '${name}' already exists`);
          }
          const desired = { id: await groups.allocateId(), name, description };
          await groups.put([{ existing: undefined, desired }]);
          changes.push(groupAuditChange({ existing: undefined, desired }));
          return desired;
        },
        { changes },
      );
      print(context, added, [`Added the group '${name}' with the id ${added.id}`]);
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
}
