import { ConditionFailed } from '../../lib/dynamodb/write.ts';
import { commands } from './commands.ts';
import { type CommonOptions, readCommonOptions } from './common-options.ts';
import { type Context, openContext } from './context.ts';
import { tableOfStack } from './stack-table.ts';
import { type Command, UsageError } from './usage.ts';

/** `npm run admin -- <command>`: the operator's tool. DESIGN.md 4. Exit codes: 0 done, 1 failed, 2 usage. */
const EXIT = { done: 0, failed: 1, usage: 2 } as const;

const USAGE = [
  'Usage: npm run admin -- <command> [--json] [--stack NAME] [--region NAME]',
  '',
  ...commands.flatMap(({ words, parameters, help }) => [
    `  ${[...words, parameters].join(' ').trimEnd()}`,
    `      ${help}`,
  ]),
  '',
  'The table is the one of the deployed stack NAME; without --stack, TABLE_NAME in AWS, or in the DynamoDB at',
  'DYNAMODB_ENDPOINT. Credentials are those that AWS tools use.',
].join('\n');

async function main(given: string[]): Promise<number> {
  if (given.length === 0 || given.includes('--help')) {
    console.log(USAGE);
    return given.length === 0 ? EXIT.usage : EXIT.done;
  }
  let command: Command | undefined;
  try {
    const { args, ...options } = readCommonOptions(given);
    command = commands.find(({ words }) => words.every((word, place) => args[place] === word));
    if (command === undefined) {
      console.error(`There is no such command.\n\n${USAGE}`);
      return EXIT.usage;
    }
    await command.run(args.slice(command.words.length), await contextOf(options));
    return EXIT.done;
  } catch (error) {
    console.error(messageOf(error));
    if (!(error instanceof UsageError)) return EXIT.failed;
    const usage = command === undefined ? ['<command>'] : [...command.words, command.parameters];
    console.error(`Usage: npm run admin -- ${usage.join(' ')}`);
    return EXIT.usage;
  }
}

function messageOf(error: unknown): unknown {
  if (error instanceof ConditionFailed) {
    return 'Somebody else wrote the same at the same time. What is written is whole: run it again.';
  }
  return error instanceof Error ? error.message : error;
}

async function contextOf({ isJson, stack, region }: Omit<CommonOptions, 'args'>): Promise<Context> {
  // Both clients, of CloudFormation and of DynamoDB, read it there.
  if (region !== undefined) process.env['AWS_REGION'] = region;
  if (stack !== undefined) process.env['TABLE_NAME'] = await tableOfStack(stack);
  return openContext(process.env, isJson);
}

process.exitCode = await main(process.argv.slice(2));
