import { Command, InvalidArgumentError, Option } from 'commander';

/** The options of `npm start -- …`. */
export interface Options {
  port: number;
  memory?: true;
  catalog?: string;
  empty?: true;
  quiet?: true;
  bundled?: true;
  /** changes become events, and mails */
  events?: true;
  /** URLs that get every event */
  webhook: string[];
  /** name and value of the header that these get */
  webhookHeader?: [string, string];
  /** `embedded`, `dynamodb-local` or a URL; undefined: not given */
  database?: string;
}

const EXIT_USAGE = 2;

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('It must be a number from 0 to 65535.');
}

function readUrl(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError('It must be a URL.');
}

function readHeader(text: string): [string, string] {
  const [, name, value] = /^([A-Za-z][A-Za-z0-9-]*): *(\S.*)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw new InvalidArgumentError("It must be a header, such as 'X-Api-Key: secret'.");
}

function readDatabase(text: string): string {
  if (/^(embedded|dynamodb-local|https?:\/\/.*)$/.test(text)) return text;
  throw new InvalidArgumentError('It must be embedded, dynamodb-local or a URL.');
}

/** The command line of `npm start`. One that is invalid ends the process with code 2. */
export const program = new Command('npm start --')
  .addOption(new Option('--port <N>', 'port on 127.0.0.1; 0: a free port').argParser(readPort).default(3_000))
  .option('--memory', 'keep no data; without it, data is kept in .local/')
  .option('--catalog <FILE>', 'load this catalogue instead of the demo')
  .addOption(new Option('--empty', 'load nothing').conflicts('catalog'))
  .option('--quiet', 'print only the line that says it is ready')
  .option('--bundled', 'serve the bundles that would be deployed instead of the sources')
  .addOption(
    new Option('--events', 'make events of changes, and mails, which are files in .local/mail/').conflicts(
      'bundled',
    ),
  )
  .addOption(
    new Option('--webhook <URL>', 'send every event to this URL; repeatable. It implies --events')
      .argParser((url: string, urls: string[]) => [...urls, readUrl(url)])
      .default([], 'none')
      .conflicts('bundled'),
  )
  .addOption(
    new Option(
      '--webhook-header <HEADER>',
      "the header of these webhooks (default: 'X-Webhook-Token: local')",
    )
      .argParser(readHeader)
      .conflicts('bundled'),
  )
  .option(
    '--database <NAME>',
    'embedded (needs no Java), dynamodb-local (needs Java 17), or the URL of a running DynamoDB; by default DYNAMODB_ENDPOINT if it is set, else embedded where it is installed, else dynamodb-local',
    readDatabase,
  )
  .helpOption('--help', 'print this')
  .showHelpAfterError()
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : EXIT_USAGE));
