import { Command } from 'commander';
import { kinds } from '../../../lib/catalogue/summary.ts';
import { escapeInvisible } from '../../../lib/text.ts';
import { type Context, print, UsageError } from '../context.ts';
import { Bugzilla, DEFAULT_OPTIONS } from '../import/bugzilla-client.ts';
import { type ImportResult, importBugzilla } from '../import/import-bugzilla.ts';
import { progressBar } from '../progress.ts';

const BUGS_PER_PAGE = 200;
const MAX_PRINTED_PROBLEMS = 20;

interface Options {
  key?: string;
  product: string[];
  fromBug?: string;
  toBug?: string;
  rate?: string;
  everything?: boolean;
}

/** `import URL` */
export const importCommand = (open: () => Promise<Context>): Command =>
  new Command('import')
    .description('copy products, bugs and comments from a running Bugzilla')
    .argument('<URL>')
    .option('--key <KEY>', 'API key; or in BUGZILLA_API_KEY')
    .option(
      '--product <NAME>',
      'only this product; repeatable',
      (value: string, previous: string[]) => [...previous, value],
      [],
    )
    .option('--from-bug <N>', 'only bugs from this id')
    .option('--to-bug <N>', 'only bugs up to this id')
    .option('--rate <N>', 'requests per second')
    .option('--everything', 'also bugs whose time of last change is unchanged')
    .action(async (url: string, options: Options) => {
      const key = readKey(options.key ?? process.env['BUGZILLA_API_KEY'] ?? '');
      const rate = readPositive('--rate', options.rate, /^(\d+|\d*\.\d+)$/);
      const range = {
        fromBug: readPositive('--from-bug', options.fromBug) ?? 1,
        toBug: readPositive('--to-bug', options.toBug) ?? Number.POSITIVE_INFINITY,
      };
      let onRetry: (reason: string, milliseconds: number) => void = () => undefined;
      const bugzilla = openBugzilla(url, {
        ...DEFAULT_OPTIONS,
        key,
        requestsPerSecond: rate ?? DEFAULT_OPTIONS.requestsPerSecond,
        onRetry: (reason, milliseconds) => onRetry(reason, milliseconds),
      });
      const context = await open();
      const bar = progressBar(process.stderr, context.isJson);
      onRetry = (reason, milliseconds) => {
        bar.note(`${escapeInvisible(reason)}; retrying in ${Math.ceil(milliseconds / 1_000)} s`);
      };
      const desired = {
        products: options.product,
        ...range,
        everything: options.everything ?? false,
        bugsPerPage: BUGS_PER_PAGE,
        onWait: bar.onWait,
      };
      const result = await importBugzilla(context.table, bugzilla, desired, bar.report).finally(bar.end);
      print(context, result, linesOf(result));
    });

function openBugzilla(url = '', options: Omit<ConstructorParameters<typeof Bugzilla>[0], 'url'>): Bugzilla {
  try {
    return new Bugzilla({ ...options, url });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** No message contains the key itself. */
function readKey(given: string): string | undefined {
  const key = given.trim();
  if (!/^[!-~]*$/.test(key)) throw new UsageError('An API key consists of letters and digits');
  return key || undefined;
}

function readPositive(name: string, given: string | undefined, form = /^\d+$/): number | undefined {
  if (given === undefined) return undefined;
  if (!form.test(given) || !(Number(given) > 0)) throw new UsageError(`${name} takes a number above 0`);
  return Number(given);
}

function linesOf({
  source,
  version,
  requests,
  summary,
  unchangedBugs,
  problems,
  notes,
}: ImportResult): string[] {
  const done = kinds
    .map((kind) => ({ kind, ...summary[kind] }))
    .filter(({ added, changed, unchanged }) => added + changed + unchanged > 0)
    .map(({ kind, added, changed, unchanged }) => {
      return `${kind}: ${added} added, ${changed} changed, ${unchanged} unchanged`;
    });
  return [
    `From Bugzilla ${version} at ${source}, with ${requests} requests:`,
    ...done,
    ...(unchangedBugs > 0 ? [`${unchangedBugs} bugs unchanged since they were copied: skipped`] : []),
    ...problems.flatMap(({ kind, count, problems: some }) => [
      '',
      `${count} ${kind}:`,
      ...some.slice(0, MAX_PRINTED_PROBLEMS).map(({ where, why }) => `  ${where}: ${why}`),
      ...(count > MAX_PRINTED_PROBLEMS
        ? [`  and ${count - MAX_PRINTED_PROBLEMS} more; --json lists them`]
        : []),
    ]),
    '',
    'Not copied:',
    ...notes.map((note) => `  ${note}`),
  ];
}
