import { checkTable, described, repairTable } from '../check.ts';
import { show } from '../context.ts';
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
    const report = (done: number, total: number) => bar.report({ kind: 'items', done, total });
    const { repaired, left } = await (repair
      ? repairTable(context.table, report)
      : checkTable(context.table, report).then((found) => ({ repaired: [], left: found }))
    ).finally(bar.end);
    const told = left.map(({ item, wrong, repair: mends }) => ({
      item,
      wrong,
      can_be_repaired: mends !== undefined,
    }));
    show(context, { repaired: repaired.map(({ item, wrong }) => ({ item, wrong })), found: told }, [
      ...repaired.map((finding) => `repaired  ${described(finding)}`),
      ...left.map(
        (finding) => `${finding.repair === undefined ? 'wrong    ' : 'reparable'} ${described(finding)}`,
      ),
      ...(left.length === 0 ? ['All is well'] : []),
    ]);
    if (left.length > 0) {
      const reparable = left.filter((finding) => finding.repair !== undefined).length;
      throw new Error(`${left.length} found, of which --repair can mend ${reparable}`);
    }
  },
};
