import { type Command, InvalidArgumentError } from 'commander';
import { eraser } from '../../../lib/bugs/store/erase.ts';
import { OPERATOR, requireOperator } from '../accounts.ts';
import { audited } from '../audit/audited.ts';
import { type Context, print } from '../context.ts';

/** What no command reaches. */
const OUT_OF_REACH = [
  'mails and webhooks that were sent',
  'events that wait, or were set aside, for up to 14 days; the stream of the table for 24 hours',
  'idempotency records for 24 hours: they have hashes only',
  'point-in-time recovery for 35 days: a table restored to a time before has it',
  'exports, files of imports (.local/import), and the Bugzilla that it was imported from',
];
const OF_COMMENTS = 'comments and mails that quote it, and what it caused in other fields of the bug';
const OF_ATTACHMENTS = 'its file name, its summary, and comments that quote it: erase those, too';

/** `comment erase ID`, `attachment erase ID` */
export function eraseCommands(program: Command, open: () => Promise<Context>): void {
  add(program, open, 'comment', 'the text of a comment', OF_COMMENTS);
  add(program, open, 'attachment', 'the data of an attachment', OF_ATTACHMENTS);
}

function add(
  program: Command,
  open: () => Promise<Context>,
  what: 'comment' | 'attachment',
  content: string,
  others: string,
): void {
  program
    .command(what)
    .description(`erase ${content}`)
    .command('erase')
    .description(`put a mark in the place of ${content}, which cannot be undone`)
    .argument('<ID>', `of the ${what}`, idOf)
    .option('--as <LOGIN>', 'the user whom the history of the bug names', OPERATOR)
    .action(async (id: number, { as }: { as: string }) => {
      const context = await open();
      const { login } = await requireOperator(context, as);
      const erase = eraser(context.table, login);
      const erased = await audited(context, async (notes) => {
        const found = await erase[what](id);
        if (found === undefined) throw new Error(`There is no ${what} ${id}`);
        notes.counts = { [`${what}s erased`]: found.isRepeated ? 0 : 1 };
        return found;
      });
      const outOfReach = [...OUT_OF_REACH, others];
      print(context, { ...erased, out_of_reach: outOfReach }, [
        `${content.replace(/^the (\w+) of an? (\w+)/, 'The $1 of $2')} ${id} of bug ${erased.bug} ${erased.isRepeated ? 'was erased before' : 'is erased'}.`,
        'It is out of reach in:',
        ...outOfReach.map((line) => `  ${line}`),
      ]);
    });
}

function idOf(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be an id.');
}
