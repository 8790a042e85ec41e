import { type GatewayResponse, matches } from '../../lib/http/middleware/response.ts';
import type { BugzillaRequest } from '../../lib/http/request.ts';
import { type Encoding, encodingFor, openEncoder } from '../../lib/http/response/compression.ts';
import { COMMON_HEADERS } from '../../lib/http/response/headers.ts';
import type { ServedFile } from './files.ts';

/** Compressed files by encoding and version, because compressing the largest takes tens of milliseconds. */
const compressed = new Map<string, Promise<string>>();

/**
 * The HTTP response of a file: compressed where the client accepts it, with an ETag, or 304 when
 * `If-None-Match` has the current ETag.
 *
 * @param headers headers in addition to those of every file
 */
export async function sendFile(
  request: BugzillaRequest,
  file: ServedFile,
  headers: Readonly<Record<string, string>>,
): Promise<GatewayResponse> {
  const encoding = encodingFor(request.headers['accept-encoding']);
  const etag = encoding === undefined ? `"${file.version}"` : `W/"${file.version}"`;
  const all: Record<string, string> = { ...COMMON_HEADERS, vary: 'accept-encoding', etag, ...headers };
  if (matches(request.headers['if-none-match'], file.version)) {
    delete all['content-type'];
    return { statusCode: 304, headers: all, body: '', isBase64Encoded: false };
  }
  const sent = { ...all, 'content-type': file.contentType };
  if (encoding === undefined) {
    return { statusCode: 200, headers: sent, body: file.content, isBase64Encoded: false };
  }
  return {
    statusCode: 200,
    headers: { ...sent, 'content-encoding': encoding },
    body: await encoded(file, encoding),
    isBase64Encoded: true,
  };
}

function encoded(file: ServedFile, encoding: Encoding): Promise<string> {
  const key = `${encoding} ${file.version}`;
  const known = compressed.get(key) ?? compress(file.content, encoding);
  compressed.set(key, known);
  return known;
}

async function compress(content: string, encoding: Encoding): Promise<string> {
  const encoder = await openEncoder(encoding);
  await encoder.write(content);
  return (await encoder.end()).toString('base64');
}
