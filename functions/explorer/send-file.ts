import type { BugzillaRequest } from '../../lib/http/request.ts';
import { type Encoding, negotiateEncoding, openEncoder } from '../../lib/http/response/compression.ts';
import { formatEtag, matchesEtag } from '../../lib/http/response/etag.ts';
import { type GatewayResponse, notModified } from '../../lib/http/response/gateway-response.ts';
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
  const encoding = negotiateEncoding(request.headers['accept-encoding']);
  const etag = formatEtag(file.version, encoding);
  const all: Record<string, string> = { ...COMMON_HEADERS, vary: 'accept-encoding', etag, ...headers };
  if (matchesEtag(request.headers['if-none-match'], file.version)) return notModified(all);
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
