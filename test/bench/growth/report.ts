import type { Size } from '../growth.ts';
import { markdownTable, rounded } from '../print.ts';
import type { Measured } from './measure.ts';

/** The measurements as Markdown: first the operations that should not grow, then those that grow with their response. */
export function report(sizes: Size[]): string {
  const measured = sizes.flatMap((size) => size.measured);
  const isGrowing = ({ things }: Measured) => things !== undefined;
  const steady = measured.filter((one) => !isGrowing(one));
  const parts = [
    '# What operations take while the table grows',
    INTRODUCTION,
    '![The same as a plot](growth.svg)',
    titled(
      'The tracker',
      sizes.map(({ counts: { items, ...others } }) =>
        Object.fromEntries(Object.entries({ items, ...others }).map(([name, count]) => [name, whole(count)])),
      ),
    ),
    '## The same answer at every size',
    bySize('Calls to DynamoDB; in brackets, how many of them wait for another', steady, callsOf),
    bySize('Capacity units: reads + writes', steady, unitsOf),
    bySize('Milliseconds: median (99th percentile)', steady, timeOf),
    '## The answer grows with the table',
    bySize('Answered; read units; milliseconds', measured.filter(isGrowing), growingOf),
    REMARK,
  ];
  return `${parts.join('\n\n')}\n`;
}

const INTRODUCTION = `\`npm run bench -- growth\` writes this page. It asks the handlers as Lambda does, with an API key, on one
DynamoDB Local in memory; so calls and capacity units are those of AWS, milliseconds are those of one machine and
show only how they grow. The tracker is made up by a seed, with popularity as in real ones
([tracker.ts](../growth/tracker.ts)): at every size it is the same one, younger or older. The longest bug has a quarter of all
comments.`;

const REMARK = `Lists cost what they answer: products come in pages of 1 MB, tags one unit each. A search for tags with a limit
costs as if it had none: the most used come first, and which these are among all that match is known only when all
of them have been read.`;

const callsOf = ({ calls, inSequence }: Measured) => `${calls} (${inSequence})`;
const unitsOf = ({ readUnits, writeUnits }: Measured) => `${short(readUnits)} + ${short(writeUnits)}`;
const timeOf = ({ median, p99 }: Measured) => `${rounded(median, 1)} (${rounded(p99, 1)})`;

const growingOf = ({ things = 0, readUnits, median }: Measured) =>
  `${whole(things)}; ${short(readUnits)}; ${rounded(median, 1)}`;

/** A row per operation, a column per size. */
function bySize(title: string, measured: Measured[], cell: (one: Measured) => string): string {
  const byOperation = [...Map.groupBy(measured, ({ operation }) => operation)];
  return titled(
    title,
    byOperation.map(([operation, all]) => ({
      operation,
      ...Object.fromEntries(all.map((one) => [`${whole(one.items)} items`, cell(one)])),
    })),
  );
}

const titled = (title: string, rows: Parameters<typeof markdownTable>[0]) =>
  `**${title}**\n\n${markdownTable(rows)}`;

const whole = (value: number) => value.toLocaleString('en');
const short = (value: number) => String(Number(value.toFixed(1)));
