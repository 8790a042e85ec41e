import { parseArgs } from 'node:util';
import * as z from 'zod';
import { load } from './load.ts';

const USAGE = `Usage: npm run load -- [options]

  --seconds N       total duration (60)
  --connections N   maximum number of concurrent requests (32)
  --bugs N          bugs of the tracker (2000)
  --seed N          seed of the random choices (6)

Exits with 1 when a response is an error, when an acknowledged write is missing or stored twice, or when the
memory of the service grows.`;

const numbers = z.object({
  seconds: z.coerce.number().min(1),
  connections: z.coerce.number().int().min(1).max(1_000),
  bugs: z.coerce.number().int().min(1),
  seed: z.coerce.number().int(),
});
export type Options = z.infer<typeof numbers>;

/** `npm run load`: load test, which afterwards verifies the acknowledged writes. */
async function main(): Promise<number> {
  const options = {
    seconds: { type: 'string', default: '60' },
    connections: { type: 'string', default: '32' },
    bugs: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '6' },
  } as const;
  const { data, error } = numbers.safeParse(parseArgs({ options }).values);
  if (data === undefined) {
    console.error(`${z.prettifyError(error)}\n\n${USAGE}`);
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
