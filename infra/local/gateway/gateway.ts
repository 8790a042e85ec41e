import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ClientGone, readBody } from './body.ts';
import { eventOf } from './event.ts';
import { type Handler, lambdaContext } from './lambda.ts';
import { readTarget } from './request-target.ts';
import { type GatewayReply, gatewayResponse, responseOf } from './response.ts';
import { type Choice, routeChooser } from './router.ts';

/** One route, as API Gateway has it. */
export interface GatewayRoute {
  /** `GET /rest/version`, `$default` */
  routeKey: string;
  /** of the function that it reaches */
  functionName: string;
  handler: Handler;
}

export interface GatewayOptions {
  routes: readonly GatewayRoute[];
  /** 0: any free one */
  port: number;
  /** told of each answer that had to be 500 or 503, and why; absent: nobody */
  onFailure?: (message: string, cause: unknown) => void;
  /** how long a function may take; absent: 30 s, as API Gateway allows */
  timeoutMilliseconds?: number;
}

/** A running gateway. */
export interface Gateway {
  url: string;
  port: number;
  /** answers what is under way, for a moment, and takes nothing more */
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const MAX_HEAD_BYTES = 10_240;
const TIMEOUT_MS = 30_000;
const STOPS_WITHIN_MILLISECONDS = 2_000;

/**
 * Starts an HTTP server that treats requests as an API Gateway HTTP API does: events of payload format 2.0,
 * its choice of routes, its limits, its answers where no function gives one. DESIGN.md 1.
 *
 * @throws Error with code EADDRINUSE when the port is taken
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const choose = routeChooser(options.routes);
  const server = createServer(
    // Requests with a head that is too large shall come this far, to be answered as API Gateway would.
    { maxHeaderSize: 16 * MAX_HEAD_BYTES, keepAliveTimeout: 60_000, requestTimeout: 60_000 },
    (request, response) => {
      response.on('error', () => undefined);
      answer(request, choose, options).then(
        (reply) => {
          // A client that keeps its connection would keep a gateway that stops.
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
  server.listen({ host: HOST, port: options.port, backlog: 2_048 });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The gateway has no port');
  return {
    url: `http://${HOST}:${address.port}`,
    port: address.port,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      const impatience = setTimeout(() => server.closeAllConnections(), STOPS_WITHIN_MILLISECONDS);
      await closed;
      clearTimeout(impatience);
    },
  };
}

/** @throws ClientGone when nobody waits for the answer any more */
async function answer(
  request: IncomingMessage,
  choose: (method: string, path: string) => Choice<GatewayRoute> | undefined,
  options: GatewayOptions,
): Promise<GatewayReply> {
  if (headBytes(request) > MAX_HEAD_BYTES) return gatewayResponse(431, 'Request Header Fields Too Large');
  const body = await readBody(request);
  if (body === 'too large') return gatewayResponse(413, 'Request Entity Too Large');
  const method = request.method ?? '';
  const target = request.url ?? '';
  const chosen = choose(method, readTarget(target).rawPath);
  if (chosen === undefined) return gatewayResponse(404, 'Not Found');
  const { route, pathParameters } = chosen;
  const { rawHeaders, httpVersion } = request;
  const event = eventOf(
    {
      method,
      target,
      rawHeaders,
      httpVersion,
      sourceIp: request.socket.remoteAddress ?? HOST,
      body,
    },
    { routeKey: route.routeKey, pathParameters },
    new Date(),
  );
  const reply = await invoke(route, event, options);
  return { ...reply, headers: { ...reply.headers, 'apigw-requestid': event.requestContext.requestId } };
}

async function invoke(route: GatewayRoute, event: unknown, options: GatewayOptions): Promise<GatewayReply> {
  const timeout = Promise.withResolvers<'timeout'>();
  const timer = setTimeout(timeout.resolve, options.timeoutMilliseconds ?? TIMEOUT_MS, 'timeout');
  try {
    const invocation = invokedFunction(route, event);
    const result = await Promise.race([invocation, timeout.promise]);
    if (result !== 'timeout') return responseOf(result.value);
    options.onFailure?.(`${route.functionName} took too long`, undefined);
    return gatewayResponse(503, 'Service Unavailable');
  } catch (error) {
    options.onFailure?.(`${route.functionName} failed`, error);
    return gatewayResponse(500, 'Internal Server Error');
  } finally {
    clearTimeout(timer);
  }
}

async function invokedFunction({ handler, functionName }: GatewayRoute, event: unknown) {
  return { value: await handler(event, lambdaContext(functionName)) };
}

function send(
  response: ServerResponse,
  { status, headers, body }: GatewayReply,
  options: GatewayOptions,
): void {
  try {
    response.writeHead(status, status === 304 ? headers : { ...headers, 'content-length': body.length });
    response.end(body);
  } catch (error) {
    options.onFailure?.('The answer cannot be sent', error);
    const instead = gatewayResponse(500, 'Internal Server Error');
    response.writeHead(instead.status, instead.headers);
    response.end(instead.body);
  }
}

/** Bytes of the request line and the headers, with their line ends. */
function headBytes({ method = '', url = '', httpVersion, rawHeaders }: IncomingMessage): number {
  const requestLine = method.length + url.length + `HTTP/${httpVersion}`.length + 4;
  // Each name and each value has two characters after it: `: ` or a line end.
  return rawHeaders.reduce((sum, part) => sum + part.length + 2, requestLine + 2);
}

/** Answers what is not HTTP, or has far too large a head, and hangs up. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { status, body } =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? gatewayResponse(431, 'Request Header Fields Too Large')
      : gatewayResponse(400, 'Bad Request');
  socket.end(
    [
      `HTTP/1.1 ${status} ${status === 431 ? 'Request Header Fields Too Large' : 'Bad Request'}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
      'connection: close',
      '',
      body.toString(),
    ].join('\r\n'),
  );
}
