import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { percentDecoded, readTarget } from './request-target.ts';

/** An HTTP request as it came over the connection. */
export interface RawRequest {
  method: string;
  /** the target of the request line, one character a byte */
  target: string;
  /** names and values in turn, as they were sent */
  rawHeaders: readonly string[];
  httpVersion: string;
  sourceIp: string;
  body: Buffer;
}

/** The route that takes it. */
export interface Taken {
  routeKey: string;
  pathParameters: Readonly<Record<string, string>>;
}

/** Headers between the client and the gateway only. */
const OF_THE_CONNECTION = new Set([
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
 * Makes the event, payload format 2.0, that API Gateway would send to the function. DESIGN.md 1.
 *
 * @param now when the request came
 */
export function eventOf(request: RawRequest, taken: Taken, now: Date): APIGatewayProxyEventV2 {
  const { rawPath, rawQueryString } = readTarget(request.target);
  const { headers, cookies } = headersOf(request);
  const query = queryOf(rawQueryString);
  const userAgent = headers['user-agent'];
  return {
    version: '2.0',
    routeKey: taken.routeKey,
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
      routeKey: taken.routeKey,
      stage: '$default',
      time: commonLogTime(now),
      timeEpoch: now.getTime(),
    },
    ...(Object.keys(taken.pathParameters).length > 0 ? { pathParameters: { ...taken.pathParameters } } : {}),
    ...bodyOf(request.body, headers['content-type']),
  };
}

/** Names in lower case, repeated ones joined by commas, cookies apart; what the gateway itself adds. */
function headersOf(request: RawRequest): { headers: Record<string, string>; cookies: string[] } {
  const all = new Map<string, string[]>();
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at]?.toLowerCase() ?? '';
    if (OF_THE_CONNECTION.has(name)) continue;
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

/** Decoded, with the values of repeated keys joined by commas; nothing asked: undefined. */
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

/** As text only for the content types that API Gateway takes for text; no body: left out. */
function bodyOf(body: Buffer, contentType: string | undefined): { body?: string; isBase64Encoded: boolean } {
  if (body.length === 0) return { isBase64Encoded: false };
  const isText = contentType !== undefined && TEXT.test(contentType) && isUtf8(body);
  return isText
    ? { body: body.toString('utf8'), isBase64Encoded: false }
    : { body: body.toString('base64'), isBase64Encoded: true };
}

/** As in `12/Mar/2020:19:03:58 +0000`. */
function commonLogTime(time: Date): string {
  const [, day, month, year, clock] = /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(time.toUTCString()) ?? [];
  return `${day}/${month}/${year}:${clock} +0000`;
}
