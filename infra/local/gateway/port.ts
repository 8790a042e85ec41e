import { createServer } from 'node:http';
import { listen } from '../listen.ts';

/**
 * Checks that the port is free, before anything slow is started.
 *
 * @param port 0: a free port
 * @throws Error naming a way out when it is in use
 */
export async function assertPortFree(port: number): Promise<void> {
  try {
    const { stop } = await listen(createServer(), port);
    await stop();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    throw new Error(
      `Port ${port} is in use. Choose another: npm start -- --port ${port + 1} (0: a free port)`,
    );
  }
}
