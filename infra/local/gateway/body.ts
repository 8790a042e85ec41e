import type { IncomingMessage } from 'node:http';

/** The client closed the connection before its request was complete. */
export class ClientGone extends Error {
  override name = 'ClientGone';
}

/** API Gateway's limit. */
const MAX_BODY_BYTES = 10 * 1_048_576;

/**
 * Reads the body of a request. Resolves to 'too large' as soon as it exceeds the limit, or says so; the rest is then read and
 * discarded, so that the client reads the response.
 *
 * @throws ClientGone
 */
export function readBody(request: IncomingMessage): Promise<Buffer | 'too large'> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    // What is announced may never come.
    if (Number(request.headers['content-length']) > MAX_BODY_BYTES) resolve('too large');
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) {
        chunks.length = 0;
        resolve('too large');
      } else chunks.push(chunk);
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', () => reject(new ClientGone()));
    request.once('close', () => reject(new ClientGone()));
  });
}
