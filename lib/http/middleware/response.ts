import { createHash, hash } from 'node:crypto';
import { errors } from '../../errors.ts';
import { type BugzillaRequest, wantsHtml } from '../request.ts';
import { type Encoder, type Encoding, encodingFor, openEncoder } from '../response/compression.ts';
import { COMMON_HEADERS } from '../response/headers.ts';
import { HTML, htmlOf, streamHtml } from '../response/html.ts';
import type { JsonResponse } from '../response/json-response.ts';
import { holdsAsyncIterable, streamJson } from '../response/json-stream.ts';

/** What a handler gives to API Gateway (payload 2.0). */
export interface GatewayResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
  isBase64Encoded: boolean;
}

/** Lambda takes 6 MB (6 x 1024 x 1024 and a little) of result; the rest of it needs less than 16 KB. */
const MAX_BYTES = 6 * 1_048_576 - 16_384;
const COMPRESS_FROM_BYTES = 4_096;

/** A body with the hash of its content, before any compression. */
interface Body {
  text: string;
  isBase64Encoded: boolean;
  encoding: Encoding | undefined;
  etag: string;
}

/**
 * Turns an answer into HTTP: JSON, for browsers as a page, compressed where the client accepts it and it pays,
 * with an ETag on what a GET asked for, or 304 without a body when the client has that already. REFERENCE.md 2.
 *
 * @throws errors.answerTooLarge (400, 32000) when it does not fit into Lambda's result
 */
export async function toGatewayResponse(
  request: BugzillaRequest,
  answer: JsonResponse,
): Promise<GatewayResponse> {
  const encoding = encodingFor(request.headers['accept-encoding']);
  const isHtml = wantsHtml(request);
  const [pieces, whole] = isHtml ? [streamHtml, htmlOf] : [streamJson, JSON.stringify];
  const body = holdsAsyncIterable(answer.body)
    ? await streamedBody(pieces(answer.body), encoding)
    : await wholeBody(whole(answer.body), encoding);
  const headers: Record<string, string> = {
    ...COMMON_HEADERS,
    ...(isHtml ? HTML : {}),
    vary: 'accept, accept-encoding',
    ...answer.headers,
  };
  if (request.method === 'GET' && answer.status === 200) {
    // Two encodings of one content differ in their bytes, so a compressed one has a weak tag (RFC 9110, 8.8.1).
    headers['etag'] = body.encoding === undefined ? `"${body.etag}"` : `W/"${body.etag}"`;
    if (matches(request.headers['if-none-match'], body.etag)) {
      delete headers['content-type'];
      return { statusCode: 304, headers, body: '', isBase64Encoded: false };
    }
  }
  if (body.encoding !== undefined) headers['content-encoding'] = body.encoding;
  return {
    statusCode: answer.status,
    headers,
    body: body.text,
    isBase64Encoded: body.isBase64Encoded,
  };
}

async function wholeBody(text: string, encoding: Encoding | undefined): Promise<Body> {
  const etag = hash('sha1', text, 'base64url');
  if (encoding === undefined || text.length < COMPRESS_FROM_BYTES) return plainBody(text, etag);
  const encoder = await openEncoder(encoding);
  await encoder.write(text);
  return encodedBody(await encoder.end(), encoding, etag);
}

/** Holds what is sent only compressed, or until it is clear that it does not fit. */
async function streamedBody(pieces: AsyncIterable<string>, encoding: Encoding | undefined): Promise<Body> {
  const digest = createHash('sha1');
  let waiting = '';
  let encoder: Encoder | undefined;
  for await (const piece of pieces) {
    waiting += piece;
    if (waiting.length < COMPRESS_FROM_BYTES * 16) continue;
    if (encoding === undefined) {
      if (waiting.length > MAX_BYTES) throw errors.answerTooLarge();
      continue;
    }
    encoder ??= await openEncoder(encoding);
    digest.update(waiting);
    await encoder.write(waiting);
    if (base64Length(encoder.bytes) > MAX_BYTES) throw errors.answerTooLarge();
    waiting = '';
  }
  digest.update(waiting);
  const etag = digest.digest('base64url');
  if (encoding === undefined || (encoder === undefined && waiting.length < COMPRESS_FROM_BYTES)) {
    return plainBody(waiting, etag);
  }
  encoder ??= await openEncoder(encoding);
  await encoder.write(waiting);
  return encodedBody(await encoder.end(), encoding, etag);
}

function plainBody(text: string, etag: string): Body {
  // Lambda's result is JSON itself, in which every quote of the text takes two bytes.
  if (text.length * 4 > MAX_BYTES && Buffer.byteLength(JSON.stringify(text)) > MAX_BYTES) {
    throw errors.answerTooLarge();
  }
  return { text, isBase64Encoded: false, encoding: undefined, etag };
}

function encodedBody(content: Buffer, encoding: Encoding, etag: string): Body {
  if (base64Length(content.length) > MAX_BYTES) throw errors.answerTooLarge();
  return { text: content.toString('base64'), isBase64Encoded: true, encoding, etag };
}

const base64Length = (bytes: number) => Math.ceil(bytes / 3) * 4;

/** Whether `If-None-Match` names this tag: quoted or bare, weak or strong, in a list, or `*`. */
export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch
    .split(',')
    .map((tag) =>
      tag
        .trim()
        .replace(/^W\//, '')
        .replace(/^"(.*)"$/, '$1'),
    )
    .some((tag) => tag === '*' || tag === etag);
}
