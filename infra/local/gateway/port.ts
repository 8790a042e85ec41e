import { createServer } from 'node:http';
import { listen } from '../listen.ts';

/**
 * Checks that the port is free, before anything slow is started.
 *
 * @param port 0: a free port
 * @throws Error with code EADDRINUSE when it is in use
 */
export async function assertPortFree(port: number): Promise<void> {
  const { stop } = await listen(createServer(), port);
  await stop();
}
