import { describeError } from '../describe-error.ts';
import { type Options, program } from './options.ts';
import { printFailure } from './print-failure.ts';
import { startService } from './service.ts';

const EXIT = { stopped: 0, failed: 1 } as const;

const cleanup = new AsyncDisposableStack();
let stopping = false;

async function stop(code: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  await cleanup
    .disposeAsync()
    .catch((error: unknown) => printFailure('It was not stopped as it should', error));
  process.exit(code);
}

function fail(reason: unknown): Promise<void> {
  if (!stopping) console.error(describeError(reason));
  return stop(EXIT.failed);
}

const options = program.parse().opts<Options>();
process.on('SIGINT', () => stop(EXIT.stopped));
process.on('SIGTERM', () => stop(EXIT.stopped));
// The reader of the output may close the pipe first.
process.stdout.on('error', () => undefined);
try {
  const { url, welcome } = await startService(options, cleanup, fail);
  if (!stopping) {
    if (!options.quiet) console.log(welcome);
    console.log(`ready ${url}`);
  }
} catch (error) {
  await fail(error);
}
