import { setTimeout as sleep } from 'node:timers/promises';
import { runs, start } from '../support/start-process.ts';
import { usedHeap } from './inspector.ts';

/** A process of `npm start`. */
export interface Service {
  url: string;
  /** used heap in bytes after garbage collection */
  heap(): Promise<number>;
  /** its error output if it has ended by itself; undefined while it runs */
  failure(): string | undefined;
}

/**
 * Starts the service on an existing table.
 *
 * @param folder for bundles
 * @throws Error when it does not start
 */
export async function startService(
  table: string,
  endpoint: string,
  folder: string,
  cleanup: AsyncDisposableStack,
): Promise<Service> {
  const started = start(
    ['--port', '0', '--empty', '--quiet'],
    { TABLE_NAME: table, DYNAMODB_ENDPOINT: endpoint, NODE_OPTIONS: '--inspect=127.0.0.1:0' },
    folder,
  );
  const { child } = started;
  cleanup.defer(async () => {
    child.kill('SIGTERM');
    await started.ended();
  });
  const url = await started.ready();
  const pid = child.pid;
  const inspector = /Debugger listening on (ws:\S+)/.exec(started.stderr)?.[1];
  if (pid === undefined || inspector === undefined) throw new Error('The service prints no inspector URL');
  return {
    url,
    heap: () => minimumHeap(inspector),
    failure: () => (runs(pid) && child.exitCode === null ? undefined : started.stderr),
  };
}

const MEASUREMENTS = 3;
const INTERVAL_MS = 700;

/** Requests of closed connections are still in progress for a moment and need memory, so the minimum is used. */
async function minimumHeap(inspector: string): Promise<number> {
  let minimum = await usedHeap(inspector);
  for (let more = 1; more < MEASUREMENTS; more += 1) {
    await sleep(INTERVAL_MS);
    minimum = Math.min(minimum, await usedHeap(inspector));
  }
  return minimum;
}
