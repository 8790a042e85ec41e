import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { exportCatalogue } from '../../../lib/catalogue/export.ts';
import type { Context } from '../context.ts';
import { progressBar } from '../progress.ts';
import { replaceFile } from '../replace-file.ts';

/** `export [FILE]` */
export const exportCommand = (program: Command, open: () => Promise<Context>): Command =>
  program
    .command('export')
    .description('write the whole table as a catalogue file; without FILE to standard output')
    .argument('[FILE]')
    .action(async (file: string | undefined) => {
      const { table, isJson } = await open();
      const bar = progressBar(process.stderr, isJson);
      const content = exportCatalogue(table, (done, total) => bar.report({ kind: 'parts', done, total }));
      const written = file === undefined ? print(content) : replaceFile(file, content);
      await written.finally(bar.end);
    });

/** Writes to standard output, as far as it is read: the reader of a pipe, such as `head`, may end before. */
async function print(content: AsyncIterable<string>): Promise<void> {
  let isClosed = false;
  process.stdout.once('error', ({ code }: NodeJS.ErrnoException) => {
    isClosed = code === 'EPIPE';
  });
  await pipeline(Readable.from(content), process.stdout, { end: false }).catch((error: unknown) => {
    if (!isClosed) throw error;
  });
}
