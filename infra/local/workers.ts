import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { join } from 'node:path';
import * as z from 'zod';

/** What a worker says when it serves. */
export const workerReady = z.object({ url: z.string() });

/**
 * Starts processes that serve the sources on one port, each with a gateway and handlers of its own: one process is one
 * thread. They read the settings in `process.env`; this process hands them the connections in turn.
 *
 * @param port 0: a free port, the same for all
 * @param cleanup receives the function that stops them
 * @returns the URL, when all of them serve
 * @throws Error when one of them ends before
 */
export async function startWorkers(
  count: number,
  port: number,
  cleanup: AsyncDisposableStack,
): Promise<string> {
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'worker.ts'), args: [String(port)] });
  const workers = Array.from({ length: count }, () => cluster.fork());
  let isStopping = false;
  cleanup.defer(async () => {
    isStopping = true;
    await Promise.all(workers.map(stopWorker));
  });
  const urls = await Promise.all(workers.map(urlOf));
  for (const worker of workers) {
    worker.on('exit', (code) => {
      if (!isStopping) console.error(`A worker ended with code ${code}. The others go on.`);
    });
  }
  return urls[0] ?? '';
}

async function urlOf(worker: Worker): Promise<string> {
  const ended = once(worker, 'exit').then(([code]) => {
    throw new Error(`A worker ended with code ${code} before it was ready`);
  });
  const ready = once(worker, 'message').then(([message]) => workerReady.parse(message).url);
  // The one that loses the race is settled later.
  ended.catch(() => undefined);
  return Promise.race([ready, ended]);
}

async function stopWorker(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const ended = once(worker, 'exit');
  worker.process.kill('SIGTERM');
  await ended;
}
