import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { applyCatalogue } from '../../../lib/catalogue/apply.ts';
import { readCatalogueFile } from '../../../lib/catalogue/read.ts';
import { kinds, type Summary } from '../../../lib/catalogue/summary.ts';
import { type AuditCounts, audited } from '../audit/audited.ts';
import { type Context, print } from '../context.ts';
import { progressBar } from '../progress.ts';

/** `apply FILE` */
export const applyCommand = (program: Command, open: () => Promise<Context>): Command =>
  program
    .command('apply')
    .description('load a catalogue file; applying it twice changes nothing')
    .argument('<FILE>')
    .action(async (file: string) => {
      const catalogue = await readCatalogueFile(file);
      const context = await open();
      const bar = progressBar(process.stderr, context.isJson);
      const options = {
        report: bar.report,
        placeholder: context.settings.DEFAULT_MILESTONE,
        pause: pauseWith(bar),
      };
      const summary = await audited(context, summaryCounts, () =>
        applyCatalogue(context.table, catalogue, options).finally(bar.end),
      );
      print(context, summary, summaryLines(summary));
    });

/** Says what is waited for, and waits. */
export const pauseWith =
  (bar: Pick<ReturnType<typeof progressBar>, 'note'>) =>
  (ms: number): Promise<unknown> => {
    bar.note(
      `Earlier versions of Bugless cannot use these statuses: waiting ${ms / 1_000} s until none does`,
    );
    return setTimeout(ms);
  };

/** What a summary counts as added and changed, for the audit log. */
export const summaryCounts = (summary: Summary): AuditCounts =>
  Object.fromEntries(
    kinds.flatMap((kind) => [
      [`${kind} added`, summary[kind].added],
      [`${kind} changed`, summary[kind].changed],
    ]),
  );

/** One line for each kind. */
export const summaryLines = (summary: Summary): string[] =>
  kinds.map((kind) => {
    const { added, changed, unchanged } = summary[kind];
    return `${kind}: ${added} added, ${changed} changed, ${unchanged} unchanged`;
  });
