import { once } from 'node:events';
import * as z from 'zod';

const answer = z.object({ id: z.int(), result: z.object({ usedSize: z.number().optional() }) });

/**
 * How many bytes of its heap a process still needs, once all garbage is collected.
 *
 * @param url where its inspector listens, as Node prints it
 */
export async function neededHeap(url: string): Promise<number> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
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
    const { usedSize } = await ask('Runtime.getHeapUsage');
    if (usedSize === undefined) throw new Error('The inspector does not say how large the heap is');
    return usedSize;
  } finally {
    socket.close();
    await once(socket, 'close');
  }
}
