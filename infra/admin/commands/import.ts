import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { escapeInvisible } from '../../../lib/base/text.ts';
import { givesRights } from '../../../lib/people/rights.ts';
import {
  type BugzillaOptions,
  baseUrl,
  bugzillaClient,
  DEFAULT_OPTIONS,
} from '../../import/bugzilla-client.ts';
import { openTableAgain } from '../../import/closing.ts';
import { expectedWork } from '../../import/expected-work.ts';
import { type ImportResult, importBugzilla } from '../../import/import-bugzilla.ts';
import type { Sides } from '../../import/verify/compare-bugs.ts';
import { audited } from '../audit/audited.ts';
import { type Context, deployedSettings, print, repeatable, UsageError } from '../context.ts';
import { progressBar } from '../progress.ts';
import { pauseWith, summaryCounts, summaryLines } from './apply.ts';
import { verify } from './verify.ts';

const BUGS_PER_PAGE = 200;
const MAX_PRINTED_PROBLEMS = 20;
/** Bugs that --verify compares. */
const SAMPLE = 200;

interface Options {
  key?: string;
  product: string[];
  fromBug?: number;
  toBug?: number;
  rate: number;
  everything: boolean;
  public: boolean;
  partial: boolean;
  as?: string;
  grantRights: boolean;
  keep?: string;
  verify?: string;
  all: boolean;
  sample: number;
  differences?: string;
  alsoAs?: string;
  final: boolean;
  abandon: boolean;
  close: boolean;
  into: boolean;
}

/** `import URL` */
export const importCommand = (program: Command, open: () => Promise<Context>): Command =>
  program
    .command('import')
    .description('copy products, bugs and comments from a running Bugzilla')
    .argument('<URL>')
    .option('--key <KEY>', 'API key; or in BUGZILLA_API_KEY')
    .option('--product <NAME>', 'only this product; repeatable', repeatable, [])
    .option('--from-bug <N>', 'only bugs from this id', positive(/^\d+$/))
    .option('--to-bug <N>', 'only bugs up to this id', positive(/^\d+$/))
    .option(
      '--rate <N>',
      'requests per second',
      positive(/^(\d+|\d*\.\d+)$/),
      DEFAULT_OPTIONS.requestsPerSecond,
    )
    .option('--public', 'without an API key: copy what everybody sees', false)
    .option('--as <LOGIN>', 'the owner of the API key, where Bugzilla does not show it')
    .option('--partial', 'copy what the owner of the API key may see, though something is hidden', false)
    .option('--grant-rights', 'give users also the groups that give rights here', false)
    .option('--everything', 'also bugs whose time of last change is unchanged', false)
    .option('--final', 'the last import: then requests may write again', false)
    .option('--abandon', 'copy nothing more: requests may write again', false)
    .option('--close', 'refuse requests that write, though an earlier import has filled the table', false)
    .option('--into', 'copy beside bugs that no import has written, and refuse no requests', false)
    .option('--verify <HERE>', 'copy nothing: compare the Bugzilla with the service at this URL')
    .option('--sample <N>', 'of --verify: so many bugs', positive(/^\d+$/), SAMPLE)
    .option('--all', 'of --verify: all bugs', false)
    .option(
      '--also-as <LOGIN>',
      'of --verify: compare what this user sees, too, by their keys in BUGZILLA_ALSO_API_KEY and BUGLESS_ALSO_API_KEY',
    )
    .option('--differences <FILE>', 'of --verify: the file of differences; by default in .local/import')
    .option('--keep <FILE>', 'the catalogue file that is written and applied; by default in .local/import')
    .action(async (url: string, { product, fromBug, toBug, rate, everything, keep, ...given }: Options) => {
      if (given.abandon) return abandonImport(await open(), url);
      if (given.into && given.close) throw new UsageError('Use --into or --close');
      if (given.public && given.key !== undefined) throw new UsageError(KEY_OR_PUBLIC);
      const key = given.public ? undefined : readKey(given.key ?? process.env['BUGZILLA_API_KEY'] ?? '');
      if (key === undefined && !given.public) throw new UsageError(NO_KEY);
      const context = await open();
      const deployed = await deployedSettings(context);
      const bar = progressBar(process.stderr, context.isJson);
      const onRetry = (reason: string, milliseconds: number) =>
        bar.note(`${escapeInvisible(reason)}; retrying in ${Math.ceil(milliseconds / 1_000)} s`);
      const bugzilla = bugzillaClient({ ...DEFAULT_OPTIONS, url, key, requestsPerSecond: rate, onRetry });
      bar.note(`Asking ${bugzilla.url}`);
      if (given.verify !== undefined) {
        const file = given.differences ?? `${importFileOf(context.table.name, bugzilla.url)}.differences`;
        const sample = given.all ? Number.POSITIVE_INFINITY : given.sample;
        const also =
          given.alsoAs === undefined
            ? undefined
            : alsoSides({ ...DEFAULT_OPTIONS, requestsPerSecond: rate, onRetry }, bugzilla.url, given.verify);
        const options = { sample, file, givesRights: givesRights(deployed), also };
        const hereKey = key === undefined ? undefined : readKey(process.env['BUGLESS_API_KEY'] ?? '');
        await verify({ context, bar }, bugzilla, { url: given.verify, key: hereKey, onRetry }, options);
        return;
      }
      const desired = {
        file: keep ?? importFileOf(context.table.name, bugzilla.url),
        products: product,
        fromBug: fromBug ?? 1,
        toBug: toBug ?? Number.POSITIVE_INFINITY,
        everything,
        bugsPerPage: BUGS_PER_PAGE,
        as: given.as,
        partial: given.partial,
        givesRights: givesRights(deployed),
        requiresLogin: deployed.REQUIRE_LOGIN,
        grantRights: given.grantRights,
        final: given.final,
        close: given.close,
        into: given.into,
        pause: pauseWith(bar),
        onCount: (bugs: number) => {
          const line = expectedWork(bugs, rate);
          if (line !== undefined) bar.note(line);
        },
        untilClosed: (ms: number) => {
          bar.note(`Waiting ${Math.ceil(ms / 1_000)} s until every process refuses requests that write`);
          return setTimeout(ms);
        },
      };
      const ignoreSignals = onSignals((exitCode) => {
        bar.end();
        console.error(interrupted(desired.file));
        process.exit(exitCode);
      });
      const result = await audited(
        context,
        ({ summary }) => summaryCounts(summary),
        () =>
          importBugzilla(context.table, bugzilla, desired, bar.report).finally(() => {
            bar.end();
            ignoreSignals();
          }),
      );
      print(context, result, linesOf(result));
    });

/** Both sides, with the keys of another user. */
function alsoSides(options: Omit<BugzillaOptions, 'url' | 'key'>, there: string, here: string): Sides {
  const client = (url: string, name: string) => {
    const key = readKey(process.env[name] ?? '');
    if (key === undefined) throw new UsageError(`--also-as needs a key of the user in ${name}`);
    return bugzillaClient({ ...options, url, key });
  };
  return { there: client(there, 'BUGZILLA_ALSO_API_KEY'), here: client(here, 'BUGLESS_ALSO_API_KEY') };
}

/** Ends an import without another run. */
async function abandonImport(context: Context, url: string): Promise<void> {
  const source = baseUrl(url);
  await audited(
    context,
    () => ({}),
    () => openTableAgain(context.table, source, 'abandoned'),
  );
  print(context, { source, isClosed: false }, [`The import from ${source} was abandoned. ${OPENED}`]);
}

const OPENED = 'Requests may write here again: every process sees it within a minute.';
const CLOSED =
  'Requests that write are refused with 503 until the same command with --final, or with --abandon.';

const interrupted = (file: string): string =>
  `Interrupted. Run the same command again: it goes on where it ended. What was read is in ${file}.`;

/** Exit codes of a process that a signal ends. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

/** Calls back when the process is to end. @returns how to stop that */
function onSignals(end: (exitCode: number) => void): () => void {
  const listeners = Object.entries(SIGNALS).map(([signal, exitCode]) => ({
    signal,
    listener: () => end(exitCode),
  }));
  for (const { signal, listener } of listeners) process.on(signal, listener);
  return () => {
    for (const { signal, listener } of listeners) process.off(signal, listener);
  };
}

const NO_KEY = `Without an API key, private bugs, private comments, groups and users are not copied. Name the key of an administrator
of the Bugzilla with --key or in BUGZILLA_API_KEY, or copy what everybody sees with --public.`;

/** Each table, and each Bugzilla, has a file of its own. */
const importFileOf = (table: string, url: string): string =>
  join('.local', 'import', table, `${url.replace(/^https?:\/\//, '').replaceAll(/[^\w.-]+/g, '_')}.ndjson`);

const KEY_OR_PUBLIC = 'Use --key, or --public, which sends no API key';

/** No message contains the key itself. */
function readKey(given: string): string | undefined {
  const key = given.trim();
  if (!/^[!-~]*$/.test(key)) throw new UsageError('An API key consists of letters and digits');
  return key || undefined;
}

const positive = (form: RegExp) => (text: string) => {
  if (form.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError('It must be a number above 0.');
};

function linesOf({
  summary,
  unchangedBugs,
  problems,
  notes,
  hidden,
  rights,
  isClosed,
  isOpened,
  ...result
}: ImportResult): string[] {
  const reader = result.reader ?? 'everybody';
  return [
    `From Bugzilla ${result.version} at ${result.source}, as ${reader} sees it, with ${result.requests} requests:`,
    // Kinds of which there were none are left out.
    ...summaryLines(summary).filter((line) => /[1-9]/.test(line)),
    `The catalogue is in ${result.file}`,
    ...(unchangedBugs > 0 ? [`${unchangedBugs} bugs unchanged since they were copied: skipped`] : []),
    ...problems.flatMap(({ kind, count, problems: some }) => [
      '',
      `${count} ${kind}:`,
      ...some.slice(0, MAX_PRINTED_PROBLEMS).map(({ where, why }) => `  ${where}: ${why}`),
      ...(count > MAX_PRINTED_PROBLEMS
        ? [`  and ${count - MAX_PRINTED_PROBLEMS} more; --json lists them`]
        : []),
    ]),
    ...(hidden.length > 0 ? ['', `Hidden from ${reader}:`, ...hidden.map((line) => `  ${line}`)] : []),
    ...rightsLines(rights),
    ...(isClosed ? ['', CLOSED] : []),
    ...(isOpened ? ['', OPENED] : []),
    '',
    'Not copied:',
    ...notes.map((note) => `  ${note}`),
  ];
}

function rightsLines({ isGranted, groups }: ImportResult['rights']): string[] {
  if (groups.length === 0) return [];
  const title = isGranted ? 'given' : 'not given; --grant-rights gives them';
  return [
    '',
    `Groups that give rights here, ${title}:`,
    ...groups.map(({ group, users }) => {
      const more =
        users.length > MAX_PRINTED_PROBLEMS ? `, and ${users.length - MAX_PRINTED_PROBLEMS} more` : '';
      return `  ${group}: ${users.slice(0, MAX_PRINTED_PROBLEMS).join(', ')}${more}`;
    }),
  ];
}
