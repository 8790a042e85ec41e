import { applyCatalogue } from '../../../lib/catalogue/apply.ts';
import { readCatalogueFile } from '../../../lib/catalogue/schema.ts';
import { kinds } from '../../../lib/catalogue/summary.ts';
import { show } from '../context.ts';
import { progressBar } from '../progress.ts';
import { type Command, readArguments } from '../usage.ts';

/** Makes the table hold what a catalogue file says. */
export const apply: Command = {
  words: ['apply'],
  parameters: 'FILE',
  help: 'load a catalogue file; twice changes nothing',
  async run(args, context) {
    const [file = ''] = readArguments(args, ['FILE'], {}).positionals;
    const catalogue = await readCatalogueFile(file);
    const bar = progressBar(process.stderr, context.isJson);
    const summary = await applyCatalogue(
      context.table,
      catalogue,
      bar.report,
      context.settings.DEFAULT_MILESTONE,
    ).finally(bar.end);
    const lines = kinds.map((kind) => {
      const { added, changed, unchanged } = summary[kind];
      return `${kind}: ${added} added, ${changed} changed, ${unchanged} as they were`;
    });
    show(context, summary, lines);
  },
};
