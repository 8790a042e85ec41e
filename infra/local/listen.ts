import { once } from 'node:events';
import type { Server } from 'node:http';

/** A server that listens on the local interface. */
export interface Listening {
  url: string;
  port: number;
  /** refuses new requests, and closes the connections of those that are still in progress after the grace period */
  stop(): Promise<void>;
}

/**
 * Listens on the local interface.
 *
 * @param port 0: a free port
 * @param graceMs what requests in progress get when the server is stopped
 * @throws Error with code EADDRINUSE when the port is in use
 */
export async function listen(server: Server, port = 0, graceMs = 0): Promise<Listening> {
  server.listen({ port, host: '127.0.0.1', backlog: 2_048 });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(timer);
    },
  };
}
