import { parseArgs } from 'node:util';
import { load, type Options } from './load.ts';

const USAGE = `Usage: npm run load -- [options]

  --seconds N       total duration (60)
  --connections N   maximum number of concurrent requests (32)
  --bugs N          bugs of the tracker (2000)
  --seed N          seed of the random choices (6)

Exits with 1 when a response is an error, when an acknowledged write is missing or stored twice, or when the
memory of the service grows.`;

const DEFAULTS = { seconds: '60', connections: '32', bugs: '2000', seed: '6' };

/** `npm run load`: load test, which afterwards verifies the acknowledged writes. */
async function main(): Promise<number> {
  const text = { type: 'string' } as const;
  const options = { seconds: text, connections: text, bugs: text, seed: text };
  const given = Object.entries({ ...DEFAULTS, ...parseArgs({ options }).values });
  const data = Object.fromEntries(given.map(([name, value]) => [name, Number(value)])) as Options;
  if (!Object.values(data).every((value) => value >= 1)) {
    console.error(USAGE);
    return 2;
  }
  const cleanup = new AsyncDisposableStack();
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => void cleanup.disposeAsync().then(() => process.exit(130)));
  }
  try {
    const problems = await load(data, cleanup);
    for (const problem of problems) console.error(problem);
    console.log(problems.length === 0 ? 'No problems' : `${problems.length} problems`);
    return problems.length === 0 ? 0 : 1;
  } finally {
    await cleanup.disposeAsync();
  }
}

process.exit(await main());
