import { Cleanup } from './cleanup.ts';
import { type Options, readOptions, USAGE, UsageError } from './options.ts';
import { startService } from './service.ts';

const EXIT = { stopped: 0, failed: 1, usage: 2 } as const;

const cleanup = new Cleanup();
let stopping = false;

async function stop(code: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  await cleanup.run();
  process.exit(code);
}

async function main(): Promise<void> {
  const options = optionsOrExit();
  process.on('SIGINT', () => stop(EXIT.stopped));
  process.on('SIGTERM', () => stop(EXIT.stopped));
  // The reader of the output may close the pipe first.
  process.stdout.on('error', () => undefined);
  try {
    const { url, welcome } = await startService(options, cleanup);
    if (stopping) return;
    if (!options.quiet) console.log(welcome);
    console.log(`ready ${url}`);
  } catch (error) {
    if (!stopping) console.error(error instanceof Error ? error.message : error);
    await stop(EXIT.failed);
  }
}

function optionsOrExit(): Options {
  try {
    const options = readOptions(process.argv.slice(2));
    if (!options.help) return options;
    console.log(USAGE);
    process.exit(EXIT.stopped);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\n\n${USAGE}`);
    process.exit(EXIT.usage);
  }
}

await main();
