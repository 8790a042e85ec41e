import { applyCatalogue } from '../../../lib/catalogue/apply.ts';
import { parseCatalogue } from '../../../lib/catalogue/schema.ts';
import { groupsOf } from '../../../lib/users/listing.ts';
import { show } from '../context.ts';
import { type Command, readArguments, UsageError } from '../usage.ts';

export const addGroup: Command = {
  words: ['group', 'add'],
  parameters: 'NAME [--description TEXT]',
  help: 'add a group',
  async run(args, context) {
    const { positionals, values } = readArguments(args, ['NAME'], {
      description: { type: 'string', default: '' },
    });
    const [name = ''] = positionals;
    if ((await groupsOf(context.table, [name])).length > 0)
      throw new UsageError(`The group '${name}' is there already`);
    const group = { name, description: values.description };
    await applyCatalogue(context.table, parseCatalogue({ groups: [group] }));
    const [added] = await groupsOf(context.table, [name]);
    show(context, added, [`Added the group '${name}' with the id ${added?.id}`]);
  },
};

export const listGroups: Command = {
  words: ['group', 'list'],
  parameters: '',
  help: 'list all groups',
  async run(args, context) {
    readArguments(args, [], {});
    const groups = await groupsOf(context.table);
    show(
      context,
      groups,
      groups.map(({ id, name, description }) => `${String(id).padStart(5)}  ${name}  ${description}`),
    );
  },
};
