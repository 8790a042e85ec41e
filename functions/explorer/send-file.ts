import type { BugzillaRequest } from '../../lib/http/request.ts';
import {
  COMMON_HEADERS,
  type Encoding,
  formatEtag,
  type GatewayResponse,
  matchesEtag,
  negotiateEncoding,
  notModified,
  openEncoder,
} from '../../lib/http/response/gateway-response.ts';
import type { ServedFile } from './files.ts';

/** Compressed files by encoding and version, because compressing the largest takes tens of milliseconds. */
const compressedFiles = new Map<string, Promise<string>>();

/**
 * The HTTP response of a file: compressed where the client accepts it, with an ETag, or 304 when
 * `If-None-Match` has the current ETag.
 *
 * @param extraHeaders headers in addition to those of every file
 */
export async function sendFile(
  request: BugzillaRequest,
  file: ServedFile,
  extraHeaders: Readonly<Record<string, string>>,
): Promise<GatewayResponse> {
  const encoding = negotiateEncoding(request.headers['accept-encoding']);
  const headers = {
    ...COMMON_HEADERS,
    vary: 'accept-encoding',
    etag: formatEtag(file.version, encoding),
    ...extraHeaders,
    'content-type': file.contentType,
  };
  if (matchesEtag(request.headers['if-none-match'], file.version)) return notModified(headers);
  if (encoding === undefined) return { statusCode: 200, headers, body: file.content, isBase64Encoded: false };
  return {
    statusCode: 200,
    headers: { ...headers, 'content-encoding': encoding },
    body: await compressed(file, encoding),
    isBase64Encoded: true,
  };
}

function compressed(file: ServedFile, encoding: Encoding): Promise<string> {
  const key = `${encoding} ${file.version}`;
  const body = compressedFiles.get(key) ?? compress(file.content, encoding);
  compressedFiles.set(key, body);
  return body;
}

async function compress(content: string, encoding: Encoding): Promise<string> {
  const encoder = await openEncoder(encoding);
  await encoder.write(content);
  return (await encoder.end()).toString('base64');
}
