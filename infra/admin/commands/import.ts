import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Command } from 'commander';
import type { Difference } from '../../../lib/catalogue/canonical.ts';
import { givesRights } from '../../../lib/people/caller.ts';
import { openTableAgain } from '../../import/closing.ts';
import { openDatabase, parseAddress, publicAddress } from '../../import/database.ts';
import { readParams } from '../../import/params.ts';
import {
  type ImportResult,
  importDatabase,
  type VerifyResult,
  verifyImport,
} from '../../import/run-import.ts';
import { audited } from '../audit/audited.ts';
import { type Context, deployedSettings, print, repeatable } from '../context.ts';
import { progressBar } from '../progress.ts';
import { summaryCounts, summaryLines } from './apply.ts';

const MAX_PRINTED = 20;
/** By how much more than what is in use the heap grows: 50,000 bugs take 0.3 GB instead of 0.6, in the same time. */
const SMALL_HEAP = '--heap-growing-percent=30';

interface Options {
  params?: string;
  param: string[];
  timezone?: string;
  attachments?: string;
  withoutRights: boolean;
  keep?: string;
  verify: boolean;
  final: boolean;
  abandon: boolean;
  again: boolean;
}

/** `import ADDRESS` */
export const importCommand = (program: Command, open: () => Promise<Context>): Command =>
  program
    .command('import')
    .description("make the table equal to Bugzilla's database")
    .argument('<ADDRESS>', 'mysql://USER@HOST/DATABASE, postgres://USER@HOST/DATABASE, or sqlite:FILE')
    .option('--params <FILE>', "Bugzilla's data/params.json, or data/params of 4.4")
    .option('--param <NAME=VALUE>', 'one of these parameters; repeatable', repeatable, [])
    .option('--timezone <ZONE>', "of the clock of Bugzilla's server; by default that of the database server")
    .option('--attachments <DIR>', "Bugzilla's data/attachments, where it keeps large ones in files")
    .option('--without-rights', 'leave out who is in groups that give rights here', false)
    .option('--verify', 'copy nothing: compare the table with the database', false)
    .option('--final', 'the last import: then requests may write again', false)
    .option('--abandon', 'copy nothing more: requests may write again', false)
    .option('--again', 'replace the content of a table in use', false)
    .option('--keep <FILE>', 'the file for what differs; by default in .local/import')
    .action(async (given: string, options: Options) => {
      const address = parseAddress(given);
      setFlagsFromString(SMALL_HEAP);
      if (options.abandon) return abandonImport(await open(), publicAddress(address));
      const params = await readParams(options.params, options.param);
      const context = await open();
      const deployed = await deployedSettings(context);
      const bar = progressBar(process.stderr, context.isJson);
      const database = await openDatabase(address, await passwordOf(address));
      try {
        const source = {
          database,
          ...{ params, timezone: options.timezone, attachments: options.attachments, deployed },
          ...{ givesRights: givesRights(deployed), withoutRights: options.withoutRights },
          ...{ report: bar.report, note: bar.note },
        };
        if (options.verify) {
          const result = await verifyImport(context.table, source).finally(bar.end);
          print(context, result, verifiedLines(result));
          if (result.differences.length === 0) return;
          throw new Error(`${result.differences.length} differences`);
        }
        const { final, again, keep: file = importFileOf(context.table.name) } = options;
        const result = await audited(context, async (notes) => {
          const imported = await importDatabase(context.table, {
            ...{ ...source, file, final, again },
            ...{ placeholder: context.settings.DEFAULT_MILESTONE, wait: (ms) => setTimeout(ms) },
          }).finally(bar.end);
          notes.counts = summaryCounts(imported.summary);
          return imported;
        });
        print(context, result, importedLines(result));
      } finally {
        await database.close();
      }
    });

/** Each table has a file of its own. */
const importFileOf = (table: string): string => join('.local', 'import', `${table}.ndjson`);

/** The password of the address, of the environment, or, on a terminal, of a prompt; undefined: there is none. */
async function passwordOf(address: URL): Promise<string | undefined> {
  if (address.protocol === 'sqlite:') return undefined;
  if (address.password !== '') return decodeURIComponent(address.password);
  const given = process.env['BUGZILLA_DB_PASSWORD'];
  if (given !== undefined || !process.stdin.isTTY) return given;
  // What is typed is not shown, from before it is asked for.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: process.stdin, output, terminal: true });
  process.stderr.write(`Password of ${address.username || 'the user'}: `);
  try {
    return await prompt.question('');
  } finally {
    prompt.close();
    process.stderr.write('\n');
  }
}

/** Ends an import without another run. */
async function abandonImport(context: Context, source: string): Promise<void> {
  await audited(context, () => openTableAgain(context.table, source, 'abandoned'));
  print(context, { source, isClosed: false }, [`The import from ${source} was abandoned. ${OPENED}`]);
}

const OPENED = 'Requests may write here: every process sees it within a minute.';
const CLOSED =
  'Requests that write are refused with 503 until the same command with --final, or with --abandon.';

function importedLines({ summary, replaced, unchangedBugs, isClosed, ...result }: ImportResult): string[] {
  return [
    `From ${result.source}:`,
    // Kinds of which there were none are left out.
    ...summaryLines(summary).filter((line) => /[1-9]/.test(line)),
    `bugs that differed: ${replaced.bugs} replaced, ${replaced.removed} removed, ${unchangedBugs} as they were`,
    ...(replaced.settings.length > 0
      ? ['', 'Changed since the last run:', ...differenceLines(replaced.settings)]
      : []),
    ...reportLines(result),
    '',
    `What was written is in ${result.file}`,
    isClosed ? CLOSED : OPENED,
  ];
}

const verifiedLines = ({ differences, bugs, ...result }: VerifyResult): string[] => [
  ...reportLines(result),
  '',
  differences.length === 0
    ? `The table is as ${result.source} has it: ${bugs} bugs, and all settings`
    : `Differences from ${result.source}:`,
  ...differenceLines(differences),
];

const WORDS = { added: 'is there only', removed: 'is here only', changed: 'differs' };

function differenceLines(differences: readonly Difference[]): string[] {
  return [...Map.groupBy(differences, ({ kind }) => kind)].flatMap(([kind, ofKind]) => [
    ...ofKind
      .slice(0, MAX_PRINTED)
      .map(
        ({ entry, change, fields }) =>
          `  ${kind} ${entry} ${WORDS[change]}${fields.length === 0 ? '' : `: ${fields.join(', ')}`}`,
      ),
    ...(ofKind.length > MAX_PRINTED
      ? [`  and ${ofKind.length - MAX_PRINTED} more ${kind}; --json lists them`]
      : []),
  ]);
}

const reportLines = ({ problems, notCopied }: Pick<ImportResult, 'problems' | 'notCopied'>): string[] => [
  ...problems.flatMap(({ kind, count, problems: some }) => [
    '',
    `${count} ${kind}:`,
    ...some.slice(0, MAX_PRINTED).map(({ where, why }) => `  ${where}: ${why}`),
    ...(count > MAX_PRINTED ? [`  and ${count - MAX_PRINTED} more; --json lists them`] : []),
  ]),
  '',
  'Not copied:',
  ...notCopied.map((line) => `  ${line}`),
];
