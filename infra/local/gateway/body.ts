import type { IncomingMessage } from 'node:http';

/** The client hung up before its request was complete. */
export class ClientGone extends Error {
  override name = 'ClientGone';
}

/** As much as API Gateway takes. */
const MAX_BODY_BYTES = 10 * 1_048_576;

/**
 * Reads a request's body, or as soon as it is clear, says that it is too large; the rest of it is then
 * let through unread, so that the client comes to read the answer.
 *
 * @throws ClientGone
 */
export function readBody(request: IncomingMessage): Promise<Buffer | 'too large'> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
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
