import { Command } from 'commander';
import { applyCatalogue } from '../../../lib/catalogue/apply.ts';
import { readCatalogueFile } from '../../../lib/catalogue/read.ts';
import { kinds } from '../../../lib/catalogue/summary.ts';
import { type Context, print } from '../context.ts';
import { progressBar } from '../progress.ts';

/** `apply FILE` */
export const applyCommand = (open: () => Promise<Context>): Command =>
  new Command('apply')
    .description('load a catalogue file; applying it twice changes nothing')
    .argument('<FILE>')
    .action(async (file: string) => {
      const catalogue = await readCatalogueFile(file);
      const context = await open();
      const bar = progressBar(process.stderr, context.isJson);
      const options = {
        report: bar.report,
        placeholder: context.settings.DEFAULT_MILESTONE,
        onWait: bar.onWait,
      };
      const summary = await applyCatalogue(context.table, catalogue, options).finally(bar.end);
      const lines = kinds.map((kind) => {
        const { added, changed, unchanged } = summary[kind];
        return `${kind}: ${added} added, ${changed} changed, ${unchanged} unchanged`;
      });
      print(context, summary, lines);
    });
