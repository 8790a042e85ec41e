import { kinds } from '../../../lib/catalogue/summary.ts';
import { show } from '../context.ts';
import { Bugzilla, USUAL_OPTIONS } from '../import/bugzilla-client.ts';
import { type ImportResult, importBugzilla } from '../import/import-bugzilla.ts';
import { progressBar } from '../progress.ts';
import { type Command, readArguments, UsageError } from '../usage.ts';

const BUGS_LISTED_AT_ONCE = 200;
const FINDINGS_SHOWN = 20;

/** Copies products, bugs and comments from a running Bugzilla. */
export const importCommand: Command = {
  words: ['import'],
  parameters: 'URL [--key KEY] [--product NAME]... [--from-bug N] [--to-bug N] [--rate N] [--everything]',
  help: 'copy products, bugs and comments from a running Bugzilla; the key may be in BUGZILLA_API_KEY',
  async run(args, context) {
    const { positionals, values } = readArguments(args, ['URL'], {
      key: { type: 'string' },
      product: { type: 'string', multiple: true, default: [] as string[] },
      'from-bug': { type: 'string' },
      'to-bug': { type: 'string' },
      rate: { type: 'string' },
      everything: { type: 'boolean', default: false },
    });
    const bar = progressBar(process.stderr, context.isJson);
    const bugzilla = openBugzilla(positionals[0], {
      ...USUAL_OPTIONS,
      key: checkedKey(values.key ?? process.env['BUGZILLA_API_KEY'] ?? ''),
      requestsPerSecond:
        positive('--rate', values.rate, /^(\d+|\d*\.\d+)$/) ?? USUAL_OPTIONS.requestsPerSecond,
      onDelay: (reason, milliseconds) => {
        if (context.isJson) return;
        bar.end();
        console.error(`${reason}; again in ${Math.ceil(milliseconds / 1_000)} s`);
      },
    });
    const options = {
      products: values.product,
      fromBug: positive('--from-bug', values['from-bug']) ?? 1,
      toBug: positive('--to-bug', values['to-bug']) ?? Number.POSITIVE_INFINITY,
      everything: values.everything,
      bugsAtOnce: BUGS_LISTED_AT_ONCE,
    };
    const result = await importBugzilla(context.table, bugzilla, options, bar.report).finally(bar.end);
    show(context, result, linesOf(result));
  },
};

function openBugzilla(url = '', options: Omit<ConstructorParameters<typeof Bugzilla>[0], 'url'>): Bugzilla {
  try {
    return new Bugzilla({ ...options, url });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** The key itself stands in no message. */
function checkedKey(given: string): string | undefined {
  const key = given.trim();
  if (!/^[!-~]*$/.test(key)) throw new UsageError('An API key has letters and digits');
  return key || undefined;
}

function positive(name: string, given: string | undefined, form = /^\d+$/): number | undefined {
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
  findings,
  notes,
}: ImportResult): string[] {
  const done = kinds
    .map((kind) => ({ kind, ...summary[kind] }))
    .filter(({ added, changed, unchanged }) => added + changed + unchanged > 0)
    .map(({ kind, added, changed, unchanged }) => {
      return `${kind}: ${added} added, ${changed} changed, ${unchanged} as they were`;
    });
  return [
    `From Bugzilla ${version} at ${source}, with ${requests} requests:`,
    ...done,
    ...(unchangedBugs > 0
      ? [`${unchangedBugs} bugs unchanged since they were copied, not asked for again`]
      : []),
    ...findings.flatMap(({ kind, count, findings: some }) => [
      '',
      `${count} ${kind}:`,
      ...some.slice(0, FINDINGS_SHOWN).map(({ where, why }) => `  ${where}: ${why}`),
      ...(count > FINDINGS_SHOWN ? [`  and ${count - FINDINGS_SHOWN} more; --json names them`] : []),
    ]),
    '',
    'Not copied:',
    ...notes.map((note) => `  ${note}`),
  ];
}
