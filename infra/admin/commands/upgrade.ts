import type { Command } from 'commander';
import { errors } from '../../../lib/errors.ts';
import { FORMAT, isConverted } from '../../../lib/table/format.ts';
import { type Context, print, UsageError } from '../context.ts';

/** `upgrade` */
export const upgradeCommand = (program: Command, open: () => Promise<Context>): Command =>
  program
    .command('upgrade')
    .description('convert the table to the format of this version, beside the running service')
    .action(async () => {
      const context = await open();
      const stored = await context.table.format.current();
      if (stored.format > FORMAT) {
        throw new UsageError(`The table has format ${stored.format}: use the version that wrote it`);
      }
      if (!isConverted(stored)) throw errors.upgradePending();
      print(context, { format: FORMAT }, [`The table has format ${FORMAT} already`]);
    });
