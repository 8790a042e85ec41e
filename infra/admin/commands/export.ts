import { open as openFile, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { exportCatalogue } from '../../../lib/catalogue/export.ts';
import type { Context } from '../context.ts';

/** `export [FILE]` */
export const exportCommand = (program: Command, open: () => Promise<Context>): Command =>
  program
    .command('export')
    .description('write the whole table as a catalogue file; without FILE to standard output')
    .argument('[FILE]')
    .action(async (file: string | undefined) => {
      const { table } = await open();
      const content = Readable.from(exportCatalogue(table));
      if (file === undefined) await pipeline(content, process.stdout, { end: false });
      else await replaceFile(file, content);
    });

/**
 * Writes a file that only its owner can read. It replaces an existing one when it is complete, so a failed export
 * leaves the existing file as it was.
 */
async function replaceFile(path: string, content: Readable): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = await openFile(temporary, 'wx', 0o600);
    await pipeline(content, file.createWriteStream({ flush: true }));
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
