import { bundles } from './bundles.ts';
import { cost } from './cost.ts';
import { growth } from './growth.ts';
import { operations } from './operations.ts';
import { speed } from './speed.ts';
import { throughput } from './throughput.ts';

/** `npm run bench [-- NAME...]`: prints what operations cost. It measures; it judges nothing. */
const benchmarks: ReadonlyMap<string, () => Promise<void>> = new Map([
  ['operations', operations],
  ['speed', speed],
  ['bundles', bundles],
  ['growth', growth],
  ['throughput', throughput],
  ['cost', cost],
]);

const wanted = process.argv.slice(2).map((name) => name.replace(/^--/, ''));
const unknown = wanted.find((name) => !benchmarks.has(name));
if (unknown !== undefined) {
  console.error(`There is no benchmark '${unknown}': take of ${[...benchmarks.keys()].join(', ')}`);
  process.exit(2);
}
for (const [name, run] of benchmarks) {
  if (wanted.length === 0 || wanted.includes(name)) await run();
}
process.exit(0);
