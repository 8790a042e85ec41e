import { once } from 'node:events';
import * as z from 'zod';

const answer = z.object({ id: z.int(), result: z.unknown() });
const heapUsage = z.object({ usedSize: z.number(), backingStorageSize: z.number() });

/**
 * How many bytes of its heap, and of buffers, a process still needs, once all garbage is collected.
 *
 * @param url where its inspector listens, as Node prints it
 * @throws Error when it does not answer
 */
export async function neededHeap(url: string): Promise<number> {
  const socket = await connected(url);
  // A process that ends waits for those who inspect it: so nobody stays.
  try {
    let asked = 0;
    const ask = async (method: string) => {
      asked += 1;
      const answered = once(socket, 'message');
      socket.send(JSON.stringify({ id: asked, method }));
      const [{ data }] = z.tuple([z.object({ data: z.string() })]).parse(await answered);
      return answer.parse(JSON.parse(data)).result;
    };
    await ask('HeapProfiler.collectGarbage');
    const { usedSize, backingStorageSize } = heapUsage.parse(await ask('Runtime.getHeapUsage'));
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
  socket.addEventListener('error', () => reject(new Error(`Nobody answers at ${url}`)));
  return promise;
}
