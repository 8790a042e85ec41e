import { once } from 'node:events';
import { Agent, request } from 'node:http';

export interface SentRequest {
  method: string;
  /** request target, percent-encoded */
  target: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
}

export interface RawReply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

const agent = new Agent({ keepAlive: true });

/** Sends a request that `fetch` would reject or normalize: bodies with any method, any target, any bytes. */
export async function sendBytes(
  url: string,
  { method, target, headers, body }: SentRequest,
): Promise<RawReply> {
  const { hostname, port } = new URL(url);
  const length = body === undefined ? {} : { 'content-length': String(body.length) };
  const outgoing = request({
    agent,
    hostname,
    port,
    method,
    path: target,
    headers: { ...headers, ...length },
  }).end(body);
  const [incoming] = await once(outgoing, 'response');
  return {
    status: incoming.statusCode,
    headers: incoming.headers,
    body: Buffer.concat(await incoming.toArray()),
  };
}

/** Percent-encodes every byte of a text. */
export function percentEncoded(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  return [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}
