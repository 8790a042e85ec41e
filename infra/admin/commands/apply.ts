import type { Command } from 'commander';
import { applyCatalogue } from '../../../lib/catalogue/apply.ts';
import { readCatalogueFile } from '../../../lib/catalogue/read.ts';
import { kinds, type Summary } from '../../../lib/catalogue/summary.ts';
import { OPERATOR, requireOperator } from '../accounts.ts';
import { type AuditNotes, audited } from '../audit/audited.ts';
import { type Context, print, tellingTable } from '../context.ts';
import { progressBar } from '../progress.ts';

/** `apply FILE` */
export const applyCommand = (program: Command, open: () => Promise<Context>): Command =>
  program
    .command('apply')
    .description('load a catalogue file; applying it twice changes nothing')
    .argument('<FILE>')
    .option('--as <LOGIN>', 'who changes the fields of bugs, in their histories', OPERATOR)
    .option('--mail', 'tell those who follow the bugs of changed fields, by events and mails')
    .action(async (file: string, { as, mail = false }: { as: string; mail?: boolean }) => {
      const catalogue = await readCatalogueFile(file);
      const context = await open();
      const table = tellingTable(context, mail);
      const ids: number[] = [];
      const bar = progressBar(process.stderr, context.isJson);
      const options = {
        report: bar.report,
        placeholder: context.settings.DEFAULT_MILESTONE,
        operator: {
          login: once(async () => (await requireOperator(context, as)).login),
          onChanged: (id: number) => ids.push(id),
        },
      };
      if (as !== OPERATOR) await requireOperator(context, as);
      const summary = await audited(context, async (notes) => {
        notes.bugs = ids;
        const written = await applyCatalogue(table, catalogue, options).finally(bar.end);
        notes.counts = summaryCounts(written);
        return written;
      });
      ids.sort((a, b) => a - b);
      const lines = ids.length === 0 ? [] : [`bugs changed as ${as}: ${ids.join(', ')}`];
      print(context, { ...summary, changed_bugs: ids }, [...summaryLines(summary), ...lines]);
    });

const once = <T>(read: () => Promise<T>): (() => Promise<T>) => {
  let known: Promise<T> | undefined;
  return () => {
    known ??= read();
    return known;
  };
};

/** What a summary counts as added and changed, for the audit log. */
export const summaryCounts = (summary: Summary): AuditNotes['counts'] =>
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
