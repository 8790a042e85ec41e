import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

/** A POST request. */
export interface Call {
  /** `http:` or `https:` */
  protocol: string;
  hostname: string;
  port?: number | undefined;
  path: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
}

/** A response that was read to its end. */
export interface Response {
  statusCode: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** As the SDK's own handler has. */
const MAX_SOCKETS = 50;

/** Codes of Node's network errors that the SDK names TimeoutError. */
const TIMEOUT_CODES = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/**
 * Sends requests over connections that are kept open.
 *
 * @param timeoutMs of a call, from its begin to the end of its response
 */
export function httpCalls(timeoutMs: number) {
  const options = { keepAlive: true, maxSockets: MAX_SOCKETS };
  let agents: { http?: Agent; https?: HttpsAgent } = {};

  function start({ protocol, hostname, port, path, headers }: Call): ClientRequest {
    const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    const common = { method: 'POST', host, path, headers, ...(port === undefined ? {} : { port }) };
    if (protocol === 'http:') {
      agents.http ??= new Agent(options);
      return request({ ...common, agent: agents.http });
    }
    agents.https ??= new HttpsAgent(options);
    return httpsRequest({ ...common, agent: agents.https });
  }

  return {
    /** @throws Error of Node's network stack, or a TimeoutError */
    send(call: Call): Promise<Response> {
      const { promise, resolve, reject } = Promise.withResolvers<Response>();
      const outgoing = start(call);
      const fail = (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        reject(TIMEOUT_CODES.has(error.code ?? '') ? Object.assign(error, { name: 'TimeoutError' }) : error);
      };
      const timer = setTimeout(() => {
        const error = new Error(`DynamoDB did not respond within ${timeoutMs} ms`);
        fail(Object.assign(error, { code: 'ETIMEDOUT' }));
        outgoing.destroy();
      }, timeoutMs);
      outgoing.on('error', fail);
      outgoing.on('response', (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk) => chunks.push(chunk));
        incoming.on('error', fail);
        incoming.on('end', () => {
          clearTimeout(timer);
          resolve({ ...statusAndHeaders(incoming), body: Buffer.concat(chunks) });
        });
      });
      outgoing.end(call.body);
      return promise;
    },
    /** Closes the connections. */
    destroy() {
      agents.http?.destroy();
      agents.https?.destroy();
      agents = {};
    },
  };
}

function statusAndHeaders({ statusCode = 0, headers }: IncomingMessage) {
  const single: Record<string, string> = {};
  for (const name in headers) single[name] = String(headers[name]);
  return { statusCode, headers: single };
}
