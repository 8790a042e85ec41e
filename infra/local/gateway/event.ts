import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { percentDecoded } from '../../../lib/base/text.ts';

/** An HTTP request as received. */
export interface RawRequest {
  method: string;
  /** the request target, one character for each byte */
  target: string;
  /** alternating names and values, as sent */
  rawHeaders: readonly string[];
  httpVersion: string;
  sourceIp: string;
  body: Buffer;
  /** by which the client speaks to the service; API Gateway's is `https` */
  scheme?: 'http' | 'https';
}

/** Hop-by-hop headers, which API Gateway does not forward. */
const HOP_BY_HOP = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

const TEXT = /^\s*(text\/[^;\s]+|application\/(json|xml|javascript))\s*(;|$)/i;

/**
 * The event, payload format 2.0, that API Gateway would send to the function.
 *
 * @param now when the request was received
 */
export function eventOf(
  request: RawRequest,
  { routeKey, pathParameters }: { routeKey: string; pathParameters: Readonly<Record<string, string>> },
  now: Date,
): APIGatewayProxyEventV2 {
  const { rawPath, rawQueryString } = readTarget(request.target);
  const { headers, cookies } = headersOf(request);
  const query = queryOf(rawQueryString);
  const userAgent = headers['user-agent'];
  return {
    version: '2.0',
    routeKey,
    rawPath,
    rawQueryString,
    ...(cookies.length > 0 ? { cookies } : {}),
    headers,
    ...(query === undefined ? {} : { queryStringParameters: query }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: 'localhost',
      domainPrefix: 'localhost',
      http: {
        method: request.method,
        path: rawPath,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.sourceIp,
        userAgent: userAgent ?? '',
      },
      requestId: randomBytes(11).toString('base64'),
      routeKey,
      stage: '$default',
      time: commonLogTime(now),
      timeEpoch: now.getTime(),
    },
    ...(Object.keys(pathParameters).length > 0 ? { pathParameters: { ...pathParameters } } : {}),
    ...bodyOf(request.body, headers['content-type']),
  };
}

/** Lower-case names, repeated headers joined by commas, cookies apart, and the headers that API Gateway adds. */
function headersOf(request: RawRequest): { headers: Record<string, string>; cookies: string[] } {
  const { rawHeaders, sourceIp, body, scheme = 'https' } = request;
  const all = rawHeaders
    .flatMap((name, at): [string, string][] =>
      at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1] ?? '']] : [],
    )
    .filter(([name]) => !HOP_BY_HOP.has(name));
  const valuesOf = (wanted: string) => all.filter(([name]) => name === wanted).map(([, value]) => value);
  const seconds = Math.floor(Date.now() / 1_000).toString(16);
  return {
    headers: {
      'x-amzn-trace-id': `Root=1-${seconds}-${randomBytes(12).toString('hex')}`,
      ...joined(all.filter(([name]) => name !== 'cookie')),
      'content-length': String(body.length),
      'x-forwarded-for': [...valuesOf('x-forwarded-for'), sourceIp].join(', '),
      'x-forwarded-port': '443',
      'x-forwarded-proto': scheme,
    },
    cookies: valuesOf('cookie')
      .flatMap((line) => line.split(';'))
      .map((one) => one.trim())
      .filter((one) => one !== ''),
  };
}

/** Names with their values, those of repeated names joined by commas. */
function joined(pairs: Iterable<[string, string]>): Record<string, string> {
  const byName = Map.groupBy(pairs, ([name]) => name);
  return Object.fromEntries(
    [...byName].map(([name, some]) => [name, some.map(([, value]) => value).join(',')]),
  );
}

/** The decoded query; undefined when it is empty. */
function queryOf(rawQueryString: string): Record<string, string> | undefined {
  const parameters = new URLSearchParams(Buffer.from(rawQueryString, 'latin1').toString());
  return parameters.size === 0 ? undefined : joined(parameters);
}

/** The body as text for the content types that API Gateway treats as text, otherwise in base64; absent when empty. */
function bodyOf(body: Buffer, contentType: string | undefined): { body?: string; isBase64Encoded: boolean } {
  if (body.length === 0) return { isBase64Encoded: false };
  const isText = contentType !== undefined && TEXT.test(contentType) && isUtf8(body);
  return isText
    ? { body: body.toString('utf8'), isBase64Encoded: false }
    : { body: body.toString('base64'), isBase64Encoded: true };
}

/** Common log format: `12/Mar/2020:19:03:58 +0000`. */
function commonLogTime(time: Date): string {
  const [, day, month, year, clock] = /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(time.toUTCString()) ?? [];
  return `${day}/${month}/${year}:${clock} +0000`;
}

/**
 * Parses a request target. Scheme and host, which proxies send, are dropped.
 *
 * @param target one character for each byte, as Node's HTTP server provides it
 * @returns the path, decoded once, and the query as sent, without the question mark
 */
export function readTarget(target: string) {
  const local = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  const mark = local.includes('?') ? local.indexOf('?') : local.length;
  const path = local.slice(0, mark);
  return {
    rawPath: percentDecoded(path.startsWith('/') ? path : `/${path}`),
    rawQueryString: local.slice(mark + 1),
  };
}
