import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { percentDecoded, readTarget } from './request-target.ts';

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
}

/** The route that matched. */
export interface MatchedRoute {
  routeKey: string;
  pathParameters: Readonly<Record<string, string>>;
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
export function eventOf(request: RawRequest, matched: MatchedRoute, now: Date): APIGatewayProxyEventV2 {
  const { rawPath, rawQueryString } = readTarget(request.target);
  const { headers, cookies } = headersOf(request);
  const query = queryOf(rawQueryString);
  const userAgent = headers['user-agent'];
  return {
    version: '2.0',
    routeKey: matched.routeKey,
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
      routeKey: matched.routeKey,
      stage: '$default',
      time: commonLogTime(now),
      timeEpoch: now.getTime(),
    },
    ...(Object.keys(matched.pathParameters).length > 0
      ? { pathParameters: { ...matched.pathParameters } }
      : {}),
    ...bodyOf(request.body, headers['content-type']),
  };
}

/** Lower-case names, repeated headers joined by commas, cookies apart, and the headers that API Gateway adds. */
function headersOf(request: RawRequest): { headers: Record<string, string>; cookies: string[] } {
  const all = new Map<string, string[]>();
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at]?.toLowerCase() ?? '';
    if (HOP_BY_HOP.has(name)) continue;
    const values = all.get(name) ?? [];
    values.push(request.rawHeaders[at + 1] ?? '');
    all.set(name, values);
  }
  const cookies = (all.get('cookie') ?? [])
    .flatMap((line) => line.split(';'))
    .map((one) => one.trim())
    .filter((one) => one !== '');
  all.delete('cookie');
  const seconds = Math.floor(Date.now() / 1_000).toString(16);
  const forwarded = [...(all.get('x-forwarded-for') ?? []), request.sourceIp].join(', ');
  const headers = Object.fromEntries([...all].map(([name, values]) => [name, values.join(',')]));
  return {
    headers: {
      'x-amzn-trace-id': `Root=1-${seconds}-${randomBytes(12).toString('hex')}`,
      ...headers,
      'content-length': String(request.body.length),
      'x-forwarded-for': forwarded,
      'x-forwarded-port': '443',
      'x-forwarded-proto': 'https',
    },
    cookies,
  };
}

/** The decoded query, with values of repeated keys joined by commas; undefined when the query is empty. */
function queryOf(rawQueryString: string): Record<string, string> | undefined {
  const all = new Map<string, string[]>();
  for (const pair of rawQueryString.split('&').filter((one) => one !== '')) {
    const equals = pair.includes('=') ? pair.indexOf('=') : pair.length;
    const name = percentDecoded(pair.slice(0, equals).replaceAll('+', ' '));
    const values = all.get(name) ?? [];
    values.push(percentDecoded(pair.slice(equals + 1).replaceAll('+', ' ')));
    all.set(name, values);
  }
  if (all.size === 0) return undefined;
  return Object.fromEntries([...all].map(([name, values]) => [name, values.join(',')]));
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
