import { lstat } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { numberCatalogue } from '../../../lib/catalogue/number.ts';
import { givenId } from '../../../lib/catalogue/schema-rules.ts';
import { UsageError } from '../context.ts';
import { replaceFile } from '../replace-file.ts';

/** `number FILE [OUTPUT]`, which needs no table */
export const numberCommand = (program: Command): Command =>
  program
    .command('number')
    .description(
      'give ids to bugs, comments, attachments and flags of a catalogue file that have none; without OUTPUT in FILE itself',
    )
    .argument('<FILE>')
    .argument('[OUTPUT]')
    .option('--from <ID>', 'the least id to give, to be above those of a table', parseId, 1)
    .action(async (file: string, output: string | undefined, { from }: { from: number }) => {
      // A link would be replaced by a file, and a pipe cannot be.
      if (output === undefined && !(await lstat(file)).isFile()) {
        throw new UsageError(`${file} is not a regular file: name an OUTPUT.`);
      }
      await replaceFile(output ?? file, numberCatalogue(file, from));
    });

function parseId(value: string): number {
  const { data } = givenId.safeParse(/^\d+$/.test(value) ? Number(value) : undefined);
  if (data !== undefined) return data;
  throw new InvalidArgumentError('It must be an id.');
}
