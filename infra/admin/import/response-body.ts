const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** A response has a larger body than is read. */
export class ResponseTooLarge extends Error {
  override name = 'ResponseTooLarge';
}

/**
 * Reads a body as text, decompressed, and no more of it than allowed.
 *
 * @throws ResponseTooLarge for more than 64 MB, and what reading throws
 */
export async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop closes the connection.
    if (size > MAX_BODY_BYTES) throw new ResponseTooLarge('the response is larger than 64 MB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
