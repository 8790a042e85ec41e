import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { exportCatalogue } from '../../../lib/catalogue/export.ts';
import { type Command, UsageError } from '../usage.ts';

/** Writes all that the table holds as a catalogue file. */
export const exportCommand: Command = {
  words: ['export'],
  parameters: '[FILE]',
  help: 'write everything as a catalogue file; without FILE to standard output',
  async run(args, { table }) {
    const [file, extra] = args;
    if (extra !== undefined) throw new UsageError(`'${extra}' is one too many`);
    const content = Readable.from(exportCatalogue(table));
    if (file === undefined) await pipeline(content, process.stdout, { end: false });
    else await pipeline(content, createWriteStream(file));
  },
};
