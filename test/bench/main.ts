import { parseArgs } from 'node:util';
import { bugzilla } from './bugzilla.ts';
import { bundles } from './bundles.ts';
import { cost } from './cost.ts';
import { importing } from './import.ts';
import { operations } from './operations.ts';
import { permissions } from './permissions.ts';
import { search } from './search.ts';
import { searches } from './searches.ts';
import { speed } from './speed.ts';
import { tests } from './tests.ts';
import { trips } from './trips.ts';
import { worst } from './worst.ts';

/**
 * `npm run bench [-- NAME... [--to BUGS] [--beside FOLDER|URL] [--seed SEED]]`: prints measurements of cost and latency. `worst` and `tests` take minutes and write a
 * file, so they run only when they are named; `--to` is the number of bugs of `import`, `search` and `worst`.
 * `speed` and `bundles` measure the checkout in the folder `--beside`, too, taking turns. `searches` compares `--to` random searches of `--seed`
 * with the Bugzilla 5.2 at the address `--beside`; `bugzilla` measures `--to` requests of a kind beside it.
 */
const benchmarks = new Map<string, (to?: number, beside?: string, seed?: number) => Promise<void>>([
  ['operations', operations],
  ['permissions', permissions],
  ['speed', (_, beside) => speed(beside)],
  ['bundles', (_, beside) => bundles(beside)],
  ['cost', cost],
  ['bugzilla', bugzilla],
  ['import', importing],
  ['trips', trips],
  ['search', search],
  ['searches', searches],
  ['worst', worst],
  ['tests', tests],
]);

const ONLY_NAMED: ReadonlySet<string> = new Set(['permissions', 'worst', 'tests', 'searches', 'bugzilla']);

const nameOf = (argument: string) => argument.replace(/^--/, '');
const { positionals, values } = parseArgs({
  args: process.argv
    .slice(2)
    .map((argument) => (benchmarks.has(nameOf(argument)) ? nameOf(argument) : argument)),
  allowPositionals: true,
  options: {
    to: { type: 'string' },
    beside: { type: 'string' },
    seed: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const numberOf = (given: string | undefined) => (given === undefined ? undefined : Number(given));
const [to, seed] = [numberOf(values.to), numberOf(values.seed)];
const unknown = positionals.find((name) => !benchmarks.has(name));
if (values.help || unknown !== undefined || Number.isNaN(to) || Number.isNaN(seed)) {
  console.error(
    `Usage: npm run bench [-- ${[...benchmarks.keys()].join('|')}... [--to BUGS] [--beside FOLDER|URL] [--seed SEED]]`,
  );
  process.exit(values.help ? 0 : 2);
}
for (const [name, run] of benchmarks) {
  const isWanted = positionals.length === 0 ? !ONLY_NAMED.has(name) : positionals.includes(name);
  if (isWanted) await run(to, values.beside, seed);
}
process.exit(0);
