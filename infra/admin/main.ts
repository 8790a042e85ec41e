import { commands } from './commands.ts';
import { openContext } from './context.ts';
import { UsageError } from './usage.ts';

/** `npm run admin -- <command>`: the operator's tool. DESIGN.md 4. Exit codes: 0 done, 1 failed, 2 usage. */
const EXIT = { done: 0, failed: 1, usage: 2 } as const;

const USAGE = [
  'Usage: npm run admin -- <command> [--json]',
  '',
  ...commands.map(
    ({ words, parameters, help }) => `  ${[...words, parameters].join(' ').padEnd(58)} ${help}`,
  ),
  '',
  'The table is TABLE_NAME in AWS, or in the DynamoDB at DYNAMODB_ENDPOINT; the settings are those of the functions.',
].join('\n');

async function main(given: string[]): Promise<number> {
  if (given.length === 0 || given.includes('--help')) {
    console.log(USAGE);
    return given.length === 0 ? EXIT.usage : EXIT.done;
  }
  const isJson = given.includes('--json');
  const args = given.filter((arg) => arg !== '--json');
  const command = commands.find(({ words }) => words.every((word, place) => args[place] === word));
  if (command === undefined) {
    console.error(`There is no such command.\n\n${USAGE}`);
    return EXIT.usage;
  }
  try {
    await command.run(args.slice(command.words.length), openContext(process.env, isJson));
    return EXIT.done;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    if (!(error instanceof UsageError)) return EXIT.failed;
    console.error(`Usage: npm run admin -- ${[...command.words, command.parameters].join(' ')}`);
    return EXIT.usage;
  }
}

process.exitCode = await main(process.argv.slice(2));
