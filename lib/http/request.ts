import * as z from 'zod/mini';
import { errors } from '../errors.ts';
import { anonymous, type Caller, type User } from '../users/caller.ts';
import { readBody } from './middleware/json-body.ts';
import { type Parameters, readQuery } from './parameters.ts';
import { prefersHtml } from './response/html.ts';
import { isExactParameter, type Route, routeKey } from './routes.ts';

const texts = z.record(z.string(), z.optional(z.string()));

/** What of API Gateway's event (payload 2.0) is read. Query parameters are read raw: it joins repeated ones by commas. */
const gatewayEvent = z.object({
  routeKey: z.string(),
  rawPath: z.string(),
  rawQueryString: z.string(),
  headers: texts,
  pathParameters: z.optional(texts),
  body: z.optional(z.string()),
  isBase64Encoded: z.boolean(),
  requestContext: z.object({ requestId: z.string(), http: z.object({ method: z.string() }) }),
});
type GatewayEvent = z.infer<typeof gatewayEvent>;

/** A request as the endpoints see it. */
export class BugzillaRequest {
  readonly method: string;
  /** decoded */
  readonly path: string;
  /** lower-cased names */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly requestId: string;
  readonly route: Route;
  /** of query and body together; the query wins */
  readonly parameters: Parameters;
  /** who asks; rejects when the credentials are wrong */
  caller: Promise<Caller> = Promise.resolve(anonymous);
  /** the same once it is known, for the log */
  user: User | undefined;
  readonly #pathParameters: Record<string, string | undefined>;

  constructor(event: GatewayEvent, route: Route, parameters: Parameters) {
    this.method = event.requestContext.http.method;
    this.path = event.rawPath;
    this.headers = event.headers;
    this.requestId = event.requestContext.requestId;
    this.route = route;
    this.parameters = parameters;
    this.#pathParameters = event.pathParameters ?? {};
  }

  /** A parameter of the path, decoded; empty where the route has none of that name. */
  pathParameter(name: string): string {
    return this.#pathParameters[name] ?? '';
  }
}

/**
 * Makes a request of API Gateway's event.
 *
 * @param routes of the function, of which the event names one
 * @throws errors.routeUnknown (404, 32614), errors.bodyUnreadable (400, 32000), in this order; REFERENCE.md 1
 */
export function readRequest(event: unknown, routes: readonly Route[]): BugzillaRequest {
  const read = gatewayEvent.parse(event);
  const { method } = read.requestContext.http;
  const route = routes.find((one) => routeKey(one) === read.routeKey);
  const parameters = Object.values(read.pathParameters ?? {});
  if (route === undefined || !parameters.every((value) => value === undefined || isExactParameter(value))) {
    throw errors.routeUnknown(method, read.rawPath);
  }
  const body = route.method === 'POST' || route.method === 'PUT' ? readBody(read) : [];
  return new BugzillaRequest(read, route, new Map([...body, ...readQuery(read.rawQueryString)]));
}

/**
 * Whether who reads an answer is a person at a browser.
 *
 * @param event a request, or API Gateway's event where that could not be made a request
 */
export function wantsHtml(event: unknown): boolean {
  if (event instanceof BugzillaRequest) {
    return event.method === 'GET' && prefersHtml(event.headers['accept']);
  }
  const { data } = gatewayEvent.safeParse(event);
  return data?.requestContext.http.method === 'GET' && prefersHtml(data.headers['accept']);
}
