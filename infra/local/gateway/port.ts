import { once } from 'node:events';
import { createServer } from 'node:net';

/** Somebody else listens on the port that the gateway shall have. */
export class PortTaken extends Error {
  override name = 'PortTaken';

  constructor(port: number) {
    super(`Port ${port} is in use. Choose another: npm start -- --port ${port + 1} (0: any free one)`);
  }
}

/**
 * Makes sure that a port can be listened on, before anything slow is started.
 *
 * @param port 0: any free one
 * @throws PortTaken
 */
export async function assertPortFree(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') throw new PortTaken(port);
    throw error;
  }
  server.close();
  await once(server, 'close');
}
