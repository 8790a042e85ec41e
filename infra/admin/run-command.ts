import { Command, CommanderError } from 'commander';
import { catalogueJsonSchema } from '../../lib/catalogue/schema.ts';
import { BugzillaError } from '../../lib/errors.ts';
import { ConditionFailed } from '../../lib/table/errors.ts';
import { describeError } from '../describe-error.ts';
import { applyCommand } from './commands/apply.ts';
import { auditCommand } from './commands/audit.ts';
import { checkCommand } from './commands/check.ts';
import { eraseCommands } from './commands/erase.ts';
import { eventsCommand } from './commands/events.ts';
import { exportCommand } from './commands/export.ts';
import { groupCommand } from './commands/groups.ts';
import { importCommand } from './commands/import.ts';
import { keyCommand } from './commands/keys.ts';
import { mailCommand } from './commands/mail.ts';
import { undoCommand } from './commands/undo.ts';
import { upgradeCommand } from './commands/upgrade.ts';
import { userCommand } from './commands/users.ts';
import { type GlobalOptions, openContext, UsageError } from './context.ts';

/** Exit codes. */
const EXIT = { done: 0, failed: 1, usage: 2 } as const;

const TABLE_HELP = `
The table is that of the deployed stack NAME; without --stack, the one in TABLE_NAME, in AWS or in the DynamoDB at
DYNAMODB_ENDPOINT; without these, that of the npm start that runs in this folder. Credentials are those of the AWS SDK.`;

const COMMANDS = [
  applyCommand,
  exportCommand,
  checkCommand,
  upgradeCommand,
  importCommand,
  userCommand,
  keyCommand,
  groupCommand,
  eraseCommands,
  undoCommand,
  eventsCommand,
  mailCommand,
  auditCommand,
];

function buildProgram(): Command {
  const program = new Command('npm run admin --')
    .description('Administers the table of Bugless.')
    .option('--json', 'print JSON, for programs')
    .option('--stack <NAME>', 'use the table of this CloudFormation stack')
    .option('--region <NAME>', 'AWS region of the stack')
    .addHelpText('after', TABLE_HELP)
    .showHelpAfterError()
    .exitOverride();
  let command = '';
  program.hook('preAction', (_, action) => {
    command = describeCommand(action);
  });
  const open = () => openContext(process.env, program.opts<GlobalOptions>(), command);
  for (const add of COMMANDS) add(program, open);
  program
    .command('schema')
    .description('print the JSON Schema of catalogue files, for editors')
    .action(() => console.log(JSON.stringify(catalogueJsonSchema(), undefined, 2)));
  return program;
}

/**
 * Runs a command, and prints its result or error.
 *
 * @returns exit code: 0 done, 1 failed, 2 wrong usage
 */
export async function runCommand(args: string[]): Promise<number> {
  try {
    await buildProgram().parseAsync(args, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    // Commander has printed its message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const isChanged = error instanceof ConditionFailed;
    console.error(isChanged ? CHANGED : describeError(error));
    return error instanceof UsageError || isRefusal(error) ? EXIT.usage : EXIT.failed;
  }
}

/** Whether a rule refuses what was given; other errors of REST are of the table. */
const isRefusal = (error: unknown): boolean => error instanceof BugzillaError && error.status < 500;

const CHANGED = 'The table was changed at the same time: run the command again.';

/** Options whose values are secrets. */
const SECRETS: ReadonlySet<string> = new Set(['key']);
/** What stands for a secret. */
const HIDDEN = '…';
/** In characters: a command may have any number of arguments. */
const MAX_COMMAND_LENGTH = 1_000;

/**
 * The names of a command, its arguments and the options that were given, as JSON where they have blanks; without secrets.
 *
 * @returns at most 1,000 characters: `user add ann@example.org --group editbugs`
 */
function describeCommand(command: Command): string {
  const options = Object.entries(command.opts()).flatMap(([name, value]) => {
    if (command.getOptionValueSource(name) !== 'cli') return [];
    if (SECRETS.has(name)) return [flagOf(name), HIDDEN];
    if (typeof value === 'boolean') return [flagOf(value ? name : `no-${name}`)];
    return [value].flat().flatMap((one) => [flagOf(name), shown(String(one))]);
  });
  const [first, last] = [[...namesOf(command), ...command.args.map(shown)].join(' '), options.join(' ')];
  // Options say why: they are not cut for arguments, of which there may be hundreds.
  const room = MAX_COMMAND_LENGTH - Math.min(last.length, MAX_COMMAND_LENGTH / 2) - 1;
  return cut(last === '' ? first : `${cut(first, room)} ${last}`, MAX_COMMAND_LENGTH);
}

const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;

const flagOf = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The names of a command and those above it, but for the program. */
function namesOf(command: Command): string[] {
  return command.parent === null ? [] : [...namesOf(command.parent), command.name()];
}

function shown(argument: string): string {
  const text = withoutCredentials(argument);
  return /^[^\s"'\\]+$/.test(text) ? text : JSON.stringify(text);
}

/** A URL without a password and parameters, which may be API keys. */
function withoutCredentials(text: string): string {
  const url = /^[a-z]+:\/\//i.test(text) ? URL.parse(text) : null;
  return url === null ? text : `${url.protocol}//${url.host}${url.pathname}`;
}
