import { parseArgs } from 'node:util';
import { apply } from './apply.ts';
import { bundles } from './bundles.ts';
import { cost } from './cost.ts';
import { operations } from './operations.ts';
import { search } from './search.ts';
import { speed } from './speed.ts';
import { upgrade } from './upgrade.ts';
import { worst } from './worst.ts';

/**
 * `npm run bench [-- NAME... [--to BUGS]]`: prints measurements of cost and latency. `worst` takes minutes and writes a
 * file, so it runs only when it is named; `--to` is the number of bugs of `apply`, `upgrade`, `search` and `worst`.
 */
const benchmarks: ReadonlyMap<string, (to?: number) => Promise<void>> = new Map([
  ['operations', operations],
  ['speed', speed],
  ['bundles', bundles],
  ['cost', cost],
  ['apply', apply],
  ['upgrade', upgrade],
  ['search', search],
  ['worst', worst],
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
  console.error(`Usage: npm run bench [-- ${[...benchmarks.keys()].join('|')}... [--to BUGS]]`);
  process.exit(2);
}
for (const [name, run] of benchmarks) {
  const isWanted = positionals.length === 0 ? name !== 'worst' : positionals.includes(name);
  if (isWanted) await run(to);
}
process.exit(0);
