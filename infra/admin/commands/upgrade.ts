import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { audited } from '../audit/audited.ts';
import { type Context, print } from '../context.ts';
import { progressBar } from '../progress.ts';
import { requireNoLaterFormat, upgradeTable } from '../upgrade/upgrade-table.ts';

/** `upgrade` */
export const upgradeCommand = (program: Command, open: () => Promise<Context>): Command =>
  program
    .command('upgrade')
    .description('convert the table to the format of this version, beside the running service')
    .action(async () => {
      const context = await open();
      await requireNoLaterFormat(context.table);
      const bar = progressBar(process.stderr, context.isJson);
      const progress = {
        begin: (conversion: string) => bar.note(`Converting: ${conversion}`),
        pause: (ms: number) =>
          bar.note(`Waiting ${ms / 1_000} s until every instance has seen the new format`),
        scan: (done: number, total: number) => bar.report({ kind: 'parts', done, total }),
      };
      const upgrade = await audited(
        context,
        ({ converted }) => ({ conversions: converted.length }),
        () => upgradeTable(context.table, progress, setTimeout).finally(bar.end),
      );
      const { from, to, converted } = upgrade;
      print(context, upgrade, [
        converted.length === 0
          ? `The table has format ${to} already`
          : `Converted from format ${from} to format ${to}: ${converted.join(', ')}`,
      ]);
    });
