import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cleanup } from '../../infra/local/cleanup.ts';
import { runs, start } from '../support/start-process.ts';
import { neededHeap } from './inspector.ts';

/** `npm start -- --bundled`, as a process of its own. */
export interface Service {
  url: string;
  /** bytes of memory that the process has; none once it has ended */
  memory(): number;
  /** bytes of its heap that it still needs once all garbage is collected */
  heap(): Promise<number>;
  /** how it ended by itself; undefined while it runs */
  failure(): string | undefined;
}

/**
 * Starts the service on a table that is there.
 *
 * @param folder where it bundles
 * @throws Error when it does not get ready
 */
export async function startService(
  table: string,
  endpoint: string,
  folder: string,
  cleanup: Cleanup,
): Promise<Service> {
  const started = start(
    ['--bundled', '--port', '0', '--empty', '--quiet'],
    { TABLE_NAME: table, DYNAMODB_ENDPOINT: endpoint, NODE_OPTIONS: '--inspect=127.0.0.1:0' },
    folder,
  );
  const { child } = started;
  cleanup.add(async () => {
    child.kill('SIGTERM');
    await started.ended();
  });
  const url = await started.ready();
  const pid = child.pid;
  const inspector = /Debugger listening on (ws:\S+)/.exec(started.stderr)?.[1];
  if (pid === undefined || inspector === undefined) throw new Error('It does not say how to inspect it');
  return {
    url,
    memory: () =>
      Number(spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).stdout) * 1_024,
    heap: () => leastHeap(inspector),
    failure: () => (runs(pid) && child.exitCode === null ? undefined : started.stderr),
  };
}

const MEASUREMENTS = 3;
const APART_MILLISECONDS = 700;

/** Requests whose clients have hung up are still under way for a moment, and need memory; so the least counts. */
async function leastHeap(inspector: string): Promise<number> {
  let least = await neededHeap(inspector);
  for (let more = 1; more < MEASUREMENTS; more += 1) {
    await sleep(APART_MILLISECONDS);
    least = Math.min(least, await neededHeap(inspector));
  }
  return least;
}
