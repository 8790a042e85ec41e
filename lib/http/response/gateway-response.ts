import { createHash, hash } from 'node:crypto';
import type { MiddlewareObj } from '@middy/core';
import { errors } from '../../errors.ts';
import { type BugzillaRequest, isRead } from '../request.ts';
import { containsAsyncIterable, type JsonResponse, streamJson } from './json.ts';

/** Handles one kind of request with the services of its group. Responses that are not JSON are returned as HTTP. */
export type Endpoint<S> = (request: BugzillaRequest, services: S) => Promise<JsonResponse | GatewayResponse>;

/** A Middy middleware; the event is API Gateway's until `matchRoute` replaces it by a BugzillaRequest. */
export type Middleware = MiddlewareObj<unknown, JsonResponse | GatewayResponse>;

/** Headers of every response. Browsers of any origin may call, with credentials in a header. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'application/json; charset=UTF-8',
  'access-control-allow-origin': '*',
  // `*` is any other but Authorization, where there are no cookies; older browsers need names.
  'access-control-allow-headers': [
    'origin, content-type, accept, x-requested-with, authorization, if-match, if-none-match, idempotency-key',
    'x-bugzilla-api-key, x-bugzilla-token, x-bugzilla-login, x-bugzilla-password',
    'user-agent, accept-language, if-modified-since, cache-control, pragma, range, x-request-id, *',
  ].join(', '),
  'access-control-expose-headers': 'etag, retry-after, x-bugless-ignored, x-bugless-left-out',
  'x-content-type-options': 'nosniff',
  // Responses depend on the caller's rights; clients revalidate with the ETag.
  'cache-control': 'private, no-cache',
  // URLs may contain an API key.
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=63072000',
};

/** Headers of a response of a route for own pages: no other origin reads it, and nothing stores it. */
export function headersForOwnPages(headers: Readonly<Record<string, string>>): Record<string, string> {
  const others = Object.entries(headers).filter(
    ([name]) => !name.startsWith('access-control-') && name !== 'etag',
  );
  return { ...Object.fromEntries(others), 'cache-control': 'no-store' };
}

/** The result of a Lambda function for API Gateway (payload format 2.0). */
export interface GatewayResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
  isBase64Encoded: boolean;
}

/** Lambda allows 6 MB (6 × 1024 × 1024 bytes) of result; everything but the body needs less than 16 KB. */
const MAX_RESULT_BYTES = 6 * 1_048_576 - 16_384;
const MIN_COMPRESSED_BYTES = 4_096;
/** Text that is gathered before it is passed to the compressor. */
const CHUNK_BYTES = 16 * MIN_COMPRESSED_BYTES;

/** A serialized body with the hash of its content before compression. */
interface Body {
  text: string;
  isBase64Encoded: boolean;
  encoding: Encoding | undefined;
  hash: string;
}

/**
 * Turns a response into HTTP: JSON, compressed where the client accepts it and the body is
 * large enough, with an ETag for GET, or 304 without a body when `If-None-Match` names that ETag.
 */
export async function toGatewayResponse(
  request: BugzillaRequest,
  response: JsonResponse,
): Promise<GatewayResponse> {
  const encoding = negotiateEncoding(request.headers['accept-encoding']);
  const body = containsAsyncIterable(response.body)
    ? await streamedBody(streamJson(response.body), encoding)
    : await wholeBody(JSON.stringify(response.body), encoding);
  return httpOf(request, response.status, body, response.headers);
}

/** A temporary redirect. @param location relative to the request's address */
export const redirect = (location: string): GatewayResponse => ({
  statusCode: 307,
  headers: { ...COMMON_HEADERS, location },
  body: '',
  isBase64Encoded: false,
});

/** A document for programs that no browser runs: CSV, Atom, XML. The response can run no script, as those of attachments. */
export async function documentResponse(
  request: BugzillaRequest,
  text: string,
  headers: Readonly<Record<string, string>>,
): Promise<GatewayResponse> {
  const body = await wholeBody(text, negotiateEncoding(request.headers['accept-encoding']));
  return httpOf(request, 200, body, {
    'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    ...headers,
  });
}

function httpOf(
  request: BugzillaRequest,
  status: number,
  body: Body,
  given: Readonly<Record<string, string>>,
): GatewayResponse {
  const headers: Record<string, string> = { ...COMMON_HEADERS, vary: 'accept-encoding', ...given };
  if (isRead(request.method) && status === 200) {
    headers['etag'] = formatEtag(body.hash, body.encoding);
    if (matchesEtag(request.headers['if-none-match'], body.hash)) return notModified(headers);
  }
  if (body.encoding !== undefined) headers['content-encoding'] = body.encoding;
  return { statusCode: status, headers, body: body.text, isBase64Encoded: body.isBase64Encoded };
}

/** 304 without a body. */
export function notModified(headers: Record<string, string>): GatewayResponse {
  const { 'content-type': _, ...rest } = headers;
  return { statusCode: 304, headers: rest, body: '', isBase64Encoded: false };
}

async function wholeBody(text: string, encoding: Encoding | undefined): Promise<Body> {
  const contentHash = hash('sha1', text, 'base64url');
  if (encoding === undefined || text.length < MIN_COMPRESSED_BYTES) return plainBody(text, contentHash);
  const encoder = await openEncoder(encoding);
  await encoder.write(text);
  return encodedBody(await encoder.end(), encoding, contentHash);
}

/** Memory holds the compressed body, or the plain one until it exceeds the limit. */
async function streamedBody(pieces: AsyncIterable<string>, encoding: Encoding | undefined): Promise<Body> {
  const digest = createHash('sha1');
  let buffered = '';
  let encoder: Awaited<ReturnType<typeof openEncoder>> | undefined;
  for await (const piece of pieces) {
    buffered += piece;
    if (buffered.length < CHUNK_BYTES) continue;
    if (encoding === undefined) {
      if (buffered.length > MAX_RESULT_BYTES) throw errors.responseTooLarge();
      continue;
    }
    encoder ??= await openEncoder(encoding);
    digest.update(buffered);
    await encoder.write(buffered);
    if (base64Length(encoder.bytes) > MAX_RESULT_BYTES) throw errors.responseTooLarge();
    buffered = '';
  }
  digest.update(buffered);
  const contentHash = digest.digest('base64url');
  if (encoding === undefined || (encoder === undefined && buffered.length < MIN_COMPRESSED_BYTES)) {
    return plainBody(buffered, contentHash);
  }
  encoder ??= await openEncoder(encoding);
  await encoder.write(buffered);
  return encodedBody(await encoder.end(), encoding, contentHash);
}

function plainBody(text: string, contentHash: string): Body {
  // The result is JSON itself, in which every quote of the text takes two bytes.
  if (text.length * 4 > MAX_RESULT_BYTES && Buffer.byteLength(JSON.stringify(text)) > MAX_RESULT_BYTES) {
    throw errors.responseTooLarge();
  }
  return { text, isBase64Encoded: false, encoding: undefined, hash: contentHash };
}

function encodedBody(content: Buffer, encoding: Encoding, contentHash: string): Body {
  if (base64Length(content.length) > MAX_RESULT_BYTES) throw errors.responseTooLarge();
  return { text: content.toString('base64'), isBase64Encoded: true, encoding, hash: contentHash };
}

const base64Length = (bytes: number) => Math.ceil(bytes / 3) * 4;

export type Encoding = 'br' | 'gzip';

/** The weights (0 to 1) of `Accept` or `Accept-Encoding`, by lower-case name. RFC 9110, 12.4.2. */
function parseWeights(header: string | undefined): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    weights.set(name, weight === undefined ? 1 : Number(weight) || 0);
  }
  return weights;
}

/** The supported encoding that a client prefers, by the weights of `Accept-Encoding`; none: undefined. */
export function negotiateEncoding(acceptEncoding: string | undefined): Encoding | undefined {
  const weights = parseWeights(acceptEncoding);
  const weightOf = (name: Encoding) => weights.get(name) ?? weights.get('*') ?? 0;
  const best: Encoding = weightOf('br') >= weightOf('gzip') ? 'br' : 'gzip';
  return weightOf(best) > 0 ? best : undefined;
}

/** Brotli's quality, of 11: about the speed of gzip, a tenth smaller. */
const BROTLI_QUALITY = 4;

/** A compressor that takes text in pieces and holds only its output. */
export async function openEncoder(encoding: Encoding) {
  // Loaded with the first large response: a cold start does not wait for it.
  const { constants, createBrotliCompress, createGzip } = await import('node:zlib');
  const stream =
    encoding === 'br'
      ? createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
      : createGzip();
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
  });
  const done = new Promise<void>((resolve, reject) => {
    stream.on('end', resolve);
    stream.on('error', reject);
  });
  return {
    /** size of the output so far */
    get bytes() {
      return bytes;
    },
    /** resolves when the text has been consumed */
    write: (text: string) => new Promise<void>((resolve) => stream.write(text, () => resolve())),
    async end(): Promise<Buffer> {
      stream.end();
      await done;
      return Buffer.concat(chunks);
    },
  };
}

/**
 * The `ETag` header for a content hash. Two encodings of one content differ in their bytes, so a compressed one has a
 * weak tag (RFC 9110, 8.8.1).
 */
export const formatEtag = (hash: string, encoding: Encoding | undefined): string =>
  encoding === undefined ? `"${hash}"` : `W/"${hash}"`;

/** Whether `If-None-Match` names this hash: quoted or bare, weak or strong, in a list, or `*`. */
export function matchesEtag(ifNoneMatch: string | undefined, hash: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch
    .split(',')
    .map((tag) =>
      tag
        .trim()
        .replace(/^W\//, '')
        .replace(/^"(.*)"$/, '$1'),
    )
    .some((tag) => tag === '*' || tag === hash);
}
