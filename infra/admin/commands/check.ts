import { type Command, Option } from 'commander';
import { audited } from '../audit/audited.ts';
import {
  CHECK_NAMES,
  checkTable,
  isViolation,
  type RepairResult,
  repairable,
  repairTable,
} from '../check/check-table.ts';
import { type Finding, lineOf } from '../check/finding.ts';
import { type Context, print, UsageError } from '../context.ts';
import { progressBar } from '../progress.ts';

/** `check [--repair] [--only NAME…]` */
export const checkCommand = (program: Command, open: () => Promise<Context>): Command =>
  program
    .command('check')
    .description('integrity check: verify every reference in both directions')
    .option('--repair', 'repair unambiguous violations', false)
    .addOption(
      new Option(
        '--only <NAMES...>',
        'these checks alone; items that do not match their schemas are found in any case',
      ).choices(CHECK_NAMES),
    )
    .action(async ({ repair, only }: { repair: boolean; only?: string[] }) => {
      const context = await open();
      if (only?.includes('words') && !context.table.indexesComments) {
        throw new UsageError('This deployment has no index of words: INDEX_COMMENTS is false');
      }
      const bar = progressBar(process.stderr, context.isJson);
      const options = {
        report: (done: number, total: number) => bar.report({ kind: 'parts', done, total }),
        only,
      };
      const result = await (repair
        ? audited(context, async (notes) => {
            const done = await repairTable(context.table, options);
            notes.counts = { repaired: done.repaired.length };
            return done;
          })
        : checkTable(context.table, options).then((left): RepairResult => ({ repaired: [], left }))
      ).finally(bar.end);
      const { format } = await context.table.format.current();
      printResult(context, result, format, only);
      if (result.failure !== undefined) throw result.failure;
      const found = result.left.found.filter(isViolation);
      if (found.length === 0) return;
      throw new Error(
        `${found.length} violations found, of which --repair can repair ${repairable(result.left).length}`,
      );
    });

function printResult(
  context: Context,
  { repaired, left }: RepairResult,
  format: number,
  only: readonly string[] | undefined,
): void {
  const { found, hasMore } = left;
  const canRepair = new Set(repairable(left));
  const checked = only === undefined ? '' : ` of ${only.join(', ')}`;
  const result = {
    repaired: repaired.map(({ item, violation }) => ({ item, violation })),
    found: found.map((one) => ({
      item: one.item,
      violation: one.violation,
      can_be_repaired: canRepair.has(one),
      is_note: !isViolation(one),
    })),
    has_more: hasMore,
    format,
  };
  print(context, result, [
    ...repaired.map((one) => `repaired    ${lineOf(one)}`),
    ...found.map((one) => `${severityOf(one, canRepair)} ${lineOf(one)}`),
    ...(hasMore ? ['and more of these'] : []),
    ...(found.some(isViolation) ? [] : [`No violations${checked} found in a table of format ${format}`]),
  ]);
}

function severityOf(finding: Finding, canRepair: ReadonlySet<Finding>): string {
  if (!isViolation(finding)) return 'note       ';
  return canRepair.has(finding) ? 'repairable ' : 'violation  ';
}
