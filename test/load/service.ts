import { once } from 'node:events';
import { start } from '../support/start-process.ts';

/** A process of `npm start`. */
export interface Service {
  url: string;
  /** used heap and buffers in bytes after garbage collection */
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
  const [, inspector = ''] = /Debugger listening on (ws:\S+)/.exec(started.stderr) ?? [];
  return {
    url,
    heap: () => usedHeap(inspector),
    failure: () => (child.exitCode === null && child.signalCode === null ? undefined : started.stderr),
  };
}

/**
 * The used heap and buffers of a process in bytes, after a garbage collection.
 *
 * @param url of the inspector, as Node prints it
 * @throws Error when the inspector does not respond
 */
async function usedHeap(url: string): Promise<number> {
  const socket = new WebSocket(url);
  const closed = once(socket, 'close');
  const next = (event: string) =>
    Promise.race([
      once(socket, event),
      closed.then((): never => {
        throw new Error(`No inspector at ${url}`);
      }),
    ]);
  const send = async (method: string) => {
    socket.send(JSON.stringify({ id: 1, method }));
    const [{ data }] = await next('message');
    return JSON.parse(data).result;
  };
  await next('open');
  await send('HeapProfiler.collectGarbage');
  const { usedSize, backingStorageSize } = await send('Runtime.getHeapUsage');
  // A process does not exit while an inspector session is open.
  socket.close();
  await closed;
  return usedSize + backingStorageSize;
}
