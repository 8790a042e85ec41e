import { parseArgs } from 'node:util';
import { bundles } from './bundles.ts';
import { contention } from './contention.ts';
import { cost } from './cost.ts';
import { growth } from './growth.ts';
import { operations } from './operations.ts';
import { speed } from './speed.ts';
import { throughput } from './throughput.ts';

/**
 * `npm run bench [-- NAME... [--to ITEMS]]`: prints what operations cost. It measures; it judges nothing. Growth takes
 * minutes and writes files, so it wants to be named; `--to` is its most items.
 */
const benchmarks: ReadonlyMap<string, (to?: number) => Promise<void>> = new Map([
  ['operations', operations],
  ['speed', speed],
  ['bundles', bundles],
  ['growth', growth],
  ['throughput', throughput],
  ['contention', contention],
  ['cost', cost],
]);

const nameOf = (argument: string) => argument.replace(/^--/, '');
const { positionals, values } = parseArgs({
  args: process.argv
    .slice(2)
    .map((argument) => (benchmarks.has(nameOf(argument)) ? nameOf(argument) : argument)),
  allowPositionals: true,
  options: { to: { type: 'string' } },
});
const to = values.to === undefined ? undefined : Number(values.to);
const unknown = positionals.find((name) => !benchmarks.has(name));
if (unknown !== undefined || Number.isNaN(to)) {
  console.error(`Take of ${[...benchmarks.keys()].join(', ')}; --to NUMBER of items`);
  process.exit(2);
}
for (const [name, run] of benchmarks) {
  const isWanted = positionals.length === 0 ? name !== 'growth' : positionals.includes(name);
  if (isWanted) await run(to);
}
process.exit(0);
