import { once } from 'node:events';
import { createServer } from 'node:net';

/** Another process listens on the gateway's port. */
class PortInUse extends Error {
  override name = 'PortInUse';

  constructor(port: number) {
    super(`Port ${port} is in use. Choose another: npm start -- --port ${port + 1} (0: a free port)`);
  }
}

/**
 * Checks that the port is free, before anything slow is started.
 *
 * @param port 0: a free port
 * @throws PortInUse
 */
export async function assertPortFree(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') throw new PortInUse(port);
    throw error;
  }
  server.close();
  await once(server, 'close');
}
