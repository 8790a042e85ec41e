import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import * as z from 'zod';
import { machineTime } from '../../../lib/base/time.ts';
import { matchPath } from '../../../lib/http/routes.ts';
import { type Listening, listen } from '../listen.ts';
import { eventOf, type RawRequest, readTarget } from './event.ts';
import { type Handler, lambdaContext } from './lambda.ts';

/** A route with its handler. */
export interface GatewayRoute {
  /** `GET /rest/version`, `$default` */
  routeKey: string;
  /** name of the function that serves it */
  functionName: string;
  handler: Handler;
}

export interface GatewayOptions {
  routes: readonly GatewayRoute[];
  /** called for each 500 and 503 of the gateway itself */
  onFailure?: (message: string, cause: unknown) => void;
  /** timeout of a function; 30 s by default, as in API Gateway */
  timeoutMs?: number;
  /** what the function is told; 29 s by default, as the stack sets */
  functionTimeoutMs?: number;
}

const MAX_HEAD_BYTES = 10_240;
const TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 2_000;
const TIMED_OUT = Symbol('timed out');

/**
 * Starts an HTTP server that behaves as an API Gateway HTTP API: route selection, events of payload format 2.0,
 * limits, and its own error responses.
 *
 * @param options with a port; 0: a free one
 * @throws Error with code EADDRINUSE when the port is in use
 */
export async function startGateway(options: GatewayOptions & { port: number }): Promise<Listening> {
  const respond = gatewayResponder(options);
  const server = createServer(
    // Above API Gateway's limit, so that larger heads get API Gateway's 431 and not Node's.
    { maxHeaderSize: 16 * MAX_HEAD_BYTES, keepAliveTimeout: 60_000, requestTimeout: 60_000 },
    (request, response) => {
      response.on('error', () => undefined);
      handleRequest(request, respond).then(
        (reply) => {
          // A kept-alive connection would delay the stop.
          if (!server.listening) response.setHeader('connection', 'close');
          send(response, reply, options);
        },
        (error: unknown) => {
          if (!(error instanceof ClientGone)) throw error;
          response.destroy();
        },
      );
    },
  );
  server.on('clientError', refuseUnreadable);
  return listen(server, options.port, STOP_TIMEOUT_MS);
}

/** @throws ClientGone when the client has closed the connection */
async function handleRequest(
  request: IncomingMessage,
  respond: (request: RawRequest) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  if (headBytes(request) > MAX_HEAD_BYTES) return gatewayResponse(431);
  const body = await readBody(request);
  if (body === 'too large') return gatewayResponse(413, 'Request Entity Too Large');
  const { method = '', url = '', rawHeaders, httpVersion, socket } = request;
  const sourceIp = socket.remoteAddress ?? '127.0.0.1';
  return respond({ method, target: url, rawHeaders, scheme: 'http', httpVersion, sourceIp, body });
}

/** A function that responds to a request by the handler of its route, without HTTP. */
export function gatewayResponder(options: GatewayOptions): (request: RawRequest) => Promise<HttpResponse> {
  const choose = routeChooser(options.routes);
  return async (request) => {
    const chosen = choose(request.method, readTarget(request.target).rawPath);
    if (chosen === undefined) return gatewayResponse(404);
    const { route, pathParameters } = chosen;
    const event = eventOf(request, { routeKey: route.routeKey, pathParameters }, machineTime());
    const reply = await invoke(route, event, options);
    return { ...reply, headers: { ...reply.headers, 'apigw-requestid': event.requestContext.requestId } };
  };
}

async function invoke(route: GatewayRoute, event: unknown, options: GatewayOptions): Promise<HttpResponse> {
  const timeout = Promise.withResolvers<symbol>();
  const timer = setTimeout(timeout.resolve, options.timeoutMs ?? TIMEOUT_MS, TIMED_OUT);
  try {
    const context = lambdaContext(route.functionName, options.functionTimeoutMs);
    const result = await Promise.race([route.handler(event, context), timeout.promise]);
    if (result !== TIMED_OUT) return responseOf(result);
    options.onFailure?.(`${route.functionName} timed out`, undefined);
    return gatewayResponse(503);
  } catch (error) {
    options.onFailure?.(`${route.functionName} failed`, error);
    return gatewayResponse(500);
  } finally {
    clearTimeout(timer);
  }
}

function send(
  response: ServerResponse,
  { status, headers, body }: HttpResponse,
  options: GatewayOptions,
): void {
  try {
    response.writeHead(status, status === 304 ? headers : { ...headers, 'content-length': body.length });
    response.end(body);
  } catch (error) {
    options.onFailure?.('The response is invalid', error);
    const failure = gatewayResponse(500);
    response.writeHead(failure.status, failure.headers);
    response.end(failure.body);
  }
}

/** Size of the request line and the headers, with line ends. */
function headBytes({ method = '', url = '', httpVersion, rawHeaders }: IncomingMessage): number {
  const requestLine = method.length + url.length + `HTTP/${httpVersion}`.length + 4;
  // Each name and each value has two characters after it: `: ` or a line end.
  return rawHeaders.reduce((sum, part) => sum + part.length + 2, requestLine + 2);
}

/** Responds to a request that is not HTTP, or whose head is far too large, and closes the connection. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { status, body } = gatewayResponse(error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400);
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
      'connection: close',
      '',
      body.toString(),
    ].join('\r\n'),
  );
}

/** The client closed the connection before its request was complete. */
class ClientGone extends Error {
  override name = 'ClientGone';
}

/** API Gateway's limit. */
const MAX_BODY_BYTES = 10 * 1_048_576;

/**
 * Reads the body of a request. Resolves to 'too large' as soon as it exceeds the limit, or says so; the rest is then read and
 * discarded, so that the client reads the response.
 *
 * @throws ClientGone
 */
function readBody(request: IncomingMessage): Promise<Buffer | 'too large'> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    // What is announced may never come.
    if (Number(request.headers['content-length']) > MAX_BODY_BYTES) resolve('too large');
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

/** The HTTP response to the client. */
export interface HttpResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
}

/** Lambda's limit: 6 MB and 100 bytes. */
const MAX_RESULT_BYTES = 6_291_556;

const headerValue = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** The result of a function in payload format 2.0, with a status. */
const lambdaResult = z.object({
  statusCode: z.coerce.number().int().min(200).max(599),
  headers: z.record(z.string(), headerValue).default({}),
  cookies: z.array(z.string()).default([]),
  body: z.string().default(''),
  isBase64Encoded: z.boolean().default(false),
});

/** A response of the gateway itself. */
function gatewayResponse(status: number, message = STATUS_CODES[status]): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ message })),
  };
}

/**
 * Converts the result of a function. A result without `statusCode` is sent as JSON with status 200.
 *
 * @throws Error when the result exceeds Lambda's limit or has another format
 */
function responseOf(result: unknown): HttpResponse {
  const json = JSON.stringify(result) ?? 'null';
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_RESULT_BYTES) {
    throw new Error(`The result of ${bytes} bytes exceeds Lambda's limit of ${MAX_RESULT_BYTES} bytes`);
  }
  if (typeof result !== 'object' || result === null || !('statusCode' in result)) {
    return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(json) };
  }
  const { statusCode, headers, cookies, body, isBase64Encoded } = lambdaResult.parse(result);
  return {
    status: statusCode,
    headers: { ...headers, ...(cookies.length > 0 ? { 'set-cookie': cookies } : {}) },
    body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
  };
}

/** API Gateway prefers the most specific template. */
const SPECIFICITY = { literal: 0, parameter: 1, greedy: 2 } as const;

/**
 * A function that selects the route of a request with API Gateway's precedence: a full match, then a template with
 * parameters, then a greedy one, then `$default`; the method by name before `ANY`.
 *
 * @param routes with API Gateway's route keys (`GET /rest/version`, `$default`)
 * @returns a function of the method and the decoded path, which returns the route with its path parameters; undefined when none
 * matches
 */
export function routeChooser<R extends { routeKey: string }>(routes: readonly R[]) {
  const parsed = routes.filter(({ routeKey }) => routeKey !== '$default').map(parseRoute);
  const ordered = parsed.toSorted((a, b) => (a.order < b.order ? -1 : 1));
  const defaultRoute = routes.find(({ routeKey }) => routeKey === '$default');

  return (method: string, path: string) => {
    for (const { route, routeMethod, template } of ordered) {
      if (routeMethod !== method && routeMethod !== 'ANY') continue;
      const pathParameters = matchPath(template, path);
      if (pathParameters !== undefined) return { route, pathParameters };
    }
    return defaultRoute === undefined ? undefined : { route: defaultRoute, pathParameters: {} };
  };
}

function parseRoute<R extends { routeKey: string }>(route: R) {
  const [routeMethod = '', template = ''] = route.routeKey.split(' ');
  const segments = template.split('/').map(specificity);
  // One digit for each segment, so that strings compare by the least specific segment, then segment by segment.
  const order = [Math.max(...segments), ...segments, routeMethod === 'ANY' ? 1 : 0].join('');
  return { route, routeMethod, template, order };
}

function specificity(segment: string): number {
  if (!/^\{.+\}$/.test(segment)) return SPECIFICITY.literal;
  return segment.endsWith('+}') ? SPECIFICITY.greedy : SPECIFICITY.parameter;
}
