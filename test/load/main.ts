import { Cleanup } from '../../infra/local/cleanup.ts';
import { load } from './load.ts';
import { type Options, readOptions, USAGE, UsageError } from './options.ts';

const EXIT = { success: 0, failed: 1, usage: 2, interrupted: 130 } as const;

const cleanup = new Cleanup();
let interruption: Promise<void> | undefined;

/** `npm run load`: load test, which afterwards verifies the acknowledged writes. */
async function main(): Promise<number> {
  const options = optionsOrExit();
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      interruption ??= cleanup.run();
    });
  }
  try {
    const problems = await load(options, cleanup);
    if (interruption !== undefined) return EXIT.interrupted;
    for (const problem of problems) console.error(problem);
    console.log(problems.length === 0 ? 'No problems' : `${problems.length} problems`);
    return problems.length === 0 ? EXIT.success : EXIT.failed;
  } catch (error) {
    if (interruption === undefined) console.error(error);
    return interruption === undefined ? EXIT.failed : EXIT.interrupted;
  } finally {
    await interruption;
    await cleanup.run();
  }
}

function optionsOrExit(): Options {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\n\n${USAGE}`);
    process.exit(EXIT.usage);
  }
}

process.exit(await main());
