import { once } from 'node:events';
import * as z from 'zod';

const message = z.object({ id: z.int(), result: z.unknown() });
const heapUsage = z.object({ usedSize: z.number(), backingStorageSize: z.number() });

/**
 * The used heap and buffers of a process in bytes, after a garbage collection.
 *
 * @param url of the inspector, as Node prints it
 * @throws Error when the inspector does not respond
 */
export async function usedHeap(url: string): Promise<number> {
  const socket = await connected(url);
  // A process does not exit while an inspector session is open.
  try {
    let messageId = 0;
    const send = async (method: string) => {
      messageId += 1;
      const received = once(socket, 'message');
      socket.send(JSON.stringify({ id: messageId, method }));
      const [{ data }] = z.tuple([z.object({ data: z.string() })]).parse(await received);
      return message.parse(JSON.parse(data)).result;
    };
    await send('HeapProfiler.collectGarbage');
    const { usedSize, backingStorageSize } = heapUsage.parse(await send('Runtime.getHeapUsage'));
    return usedSize + backingStorageSize;
  } finally {
    socket.close();
    await once(socket, 'close');
  }
}

async function connected(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url);
  const { promise, resolve, reject } = Promise.withResolvers<WebSocket>();
  socket.addEventListener('open', () => resolve(socket));
  socket.addEventListener('error', () => reject(new Error(`No inspector at ${url}`)));
  return promise;
}
