import { checkTable, type LookReport, mendable, type Repair, repairTable } from '../check/check-table.ts';
import { lineOf } from '../check/finding.ts';
import { type Context, show } from '../context.ts';
import { progressBar } from '../progress.ts';
import { type Command, readArguments } from '../usage.ts';

/** Says whether the table holds together; mends what has one right answer. */
export const check: Command = {
  words: ['check'],
  parameters: '[--repair]',
  help: 'look whether the table holds together; --repair mends what has one right answer, while no apply or import runs',
  async run(args, context) {
    const { repair } = readArguments(args, [], { repair: { type: 'boolean', default: false } }).values;
    const bar = progressBar(process.stderr, context.isJson);
    const report: LookReport = (done, total) => bar.report({ kind: 'items', done, total });
    const result = await (repair ? repairTable(context.table, report) : looked(context, report)).finally(
      bar.end,
    );
    tell(context, result);
    if (result.failure !== undefined) throw result.failure;
    const { found } = result.left;
    if (found.length === 0) return;
    throw new Error(`${found.length} found, of which --repair can mend ${mendable(result.left).length}`);
  },
};

async function looked({ table }: Context, report: LookReport): Promise<Repair> {
  return { repaired: [], left: await checkTable(table, report) };
}

function tell(context: Context, { repaired, left }: Repair): void {
  const { found, hasMore } = left;
  const canMend = new Set(mendable(left));
  const result = {
    repaired: repaired.map(({ item, wrong }) => ({ item, wrong })),
    found: found.map((one) => ({ item: one.item, wrong: one.wrong, can_be_repaired: canMend.has(one) })),
    has_more: hasMore,
  };
  show(context, result, [
    ...repaired.map((one) => `repaired  ${lineOf(one)}`),
    ...found.map((one) => `${canMend.has(one) ? 'reparable' : 'wrong    '} ${lineOf(one)}`),
    ...(hasMore ? ['and more of these'] : []),
    ...(found.length === 0 ? ['All is well'] : []),
  ]);
}
