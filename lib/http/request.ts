import * as z from 'zod/mini';
import { NamedValues, readQuery } from '../base/parameters.ts';
import { errors } from '../errors.ts';
import { anonymous, type Caller } from '../people/caller.ts';
import type { Middleware } from './handler-types.ts';
import {
  apiPath,
  isExactParameter,
  matchPath,
  type Route,
  routeKey,
  routesOf,
  withHead,
  withoutScript,
} from './routes.ts';

const texts = z.record(z.string(), z.optional(z.string()));

/**
 * The part of API Gateway's event (payload format 2.0) that is used. The query string is used raw, because
 * `queryStringParameters` joins repeated keys by commas.
 */
const gatewayEvent = z.object({
  routeKey: z.string(),
  rawPath: z.string(),
  rawQueryString: z.string(),
  headers: texts,
  // Emulators send null for what is absent.
  pathParameters: z.nullish(texts),
  body: z.nullish(z.string()),
  isBase64Encoded: z.boolean(),
  requestContext: z.object({
    requestId: z.string(),
    http: z.object({ method: z.string(), sourceIp: z._default(z.string(), '') }),
  }),
});
export type GatewayEvent = z.infer<typeof gatewayEvent>;

/** Bounds the time that reading a request takes. */
export const MAX_PARAMETERS = 10_000;

export const tooManyParameters = () => errors.bodyUnreadable(`it has more than ${MAX_PARAMETERS} parameters`);

/** A request as the endpoints see it. */
export class BugzillaRequest {
  readonly method: string;
  /** decoded */
  readonly path: string;
  /** lower-case names */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly requestId: string;
  /** address that the request came from, as API Gateway sees it */
  readonly sourceIp: string;
  readonly route: Route;
  /** as API Gateway has it; `decodeBody` makes it a JSON text, the parser the value of the text */
  body: unknown;
  isBase64Encoded: boolean;
  /** of the query string; `decodeBody` and `bodyParameters` add those of the body */
  parameters: NamedValues<unknown>;
  /** set by `authenticate`; rejects when the credentials are wrong or do not satisfy the route's policy */
  caller: Promise<Caller> = Promise.resolve(anonymous);
  /** of the caller, set by authentication, for the log */
  userId: number | undefined;
  readonly #pathParameters: Record<string, string | undefined>;

  constructor(event: GatewayEvent, route: Route) {
    this.method = event.requestContext.http.method;
    this.path = event.rawPath;
    this.headers = event.headers;
    this.requestId = event.requestContext.requestId;
    this.sourceIp = event.requestContext.http.sourceIp;
    this.route = route;
    this.body = event.body;
    this.isBase64Encoded = event.isBase64Encoded;
    this.parameters = readQuery(event.rawQueryString);
    this.#pathParameters = event.pathParameters ?? {};
  }

  /** Adds parameters of the body; those of the query string win. */
  addParameters(given: Iterable<[string, unknown]>): void {
    const added = new Map(given);
    if (added.size > MAX_PARAMETERS) throw tooManyParameters();
    this.parameters = new NamedValues([...added, ...this.parameters]);
  }

  /** A parameter of the path, decoded; empty when the route has none of that name. */
  pathParameter(name: string): string {
    return this.#pathParameters[name] ?? '';
  }

  /** What the request names: by a parameter of the path, where the route has it, and by others. */
  named(inPath: string, others: readonly string[]): string[] {
    const first = this.pathParameter(inPath);
    return first === '' ? [...others] : [first, ...others];
  }
}

/**
 * The request that `matchRoute` made of the event.
 *
 * @throws TypeError when it has not run
 */
export function requireRequest(event: unknown): BugzillaRequest {
  if (event instanceof BugzillaRequest) return event;
  throw new TypeError('The route of the event has not been matched');
}

/** Whether a method reads: GET, and HEAD, which is GET without a body. */
export const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** The request id of API Gateway. */
export function requestIdOf(event: unknown, fallback: string): string {
  return event instanceof BugzillaRequest ? event.requestId : fallback;
}

const EMPTY_SEGMENTS = /\/{2,}/g;

/**
 * Replaces API Gateway's event by a request of one of the group's routes, with the parameters of its query string. Paths
 * under `/rest.cgi/` are those under `/rest/`. Doubled slashes in a path are one: API Gateway passes such a path to any function,
 * so where the path is another one's, the client is sent there, because each has its own policy. A browser follows no redirect of
 * OPTIONS. Of a path that has one route of API Gateway for all methods, the other methods get a route `ANY`.
 *
 * @example middy(endpoint).use(matchRoute(routes))
 */
export const matchRoute = (routes: readonly Route[]): Middleware => {
  const all = withHead(routes);
  return {
    before: (state) => {
      const given = gatewayEvent.parse(state.event);
      const [routeKey, rawPath] = [withoutScript(given.routeKey), withoutScript(given.rawPath)];
      const event = { ...given, routeKey, rawPath };
      const route = findRoute(all, event);
      const { method } = event.requestContext.http;
      const single = rawPath.replace(EMPTY_SEGMENTS, '/');
      if (single !== rawPath && (route === undefined || route.path === '$default')) {
        const own = ownRoute(all, method, withoutScript(single));
        if (own !== undefined) {
          const { path, pathParameters } = own;
          state.event = new BugzillaRequest({ ...event, rawPath: path, pathParameters }, own.route);
          return;
        }
        if (route === undefined || method !== 'OPTIONS')
          throw errors.pathMoved(locationOf(single, given.rawQueryString));
        event.rawPath = withoutScript(single);
      }
      if (route === undefined) throw errors.routeUnknown(method, event.rawPath);
      state.event = new BugzillaRequest(event, route);
    },
  };
};

/** The route of the group that a path has, with its parameters; undefined: it is another group's. */
function ownRoute(routes: readonly Route[], method: string, path: string) {
  const route = routesOf(routes, path).find((one) => one.method === method);
  return route === undefined ? undefined : { route, path, pathParameters: matchPath(route.path, path) };
}

/** Path and query of an address, of which none is taken for a host. @param path decoded, without empty segments */
function locationOf(path: string, query: string): string {
  const encoded = path.split('/').map((segment) => encodeURIComponent(segment.toWellFormed()));
  const sent = query
    .toWellFormed()
    .replace(/[\0-\x20\x7f-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .replace(/[^\x21-\x7e]/gu, encodeURIComponent);
  return `${encoded.join('/')}${sent === '' ? '' : `?${sent}`}`;
}

/**
 * The route of an event, as Bugzilla would route the path. API Gateway has no routes that end in a slash, and may select
 * the route without it, so that its choice does not count for paths that do.
 */
function findRoute(routes: readonly Route[], event: GatewayEvent): Route | undefined {
  const { rawPath, requestContext } = event;
  const { method } = requestContext.http;
  const [, path] = event.routeKey.split('ANY ');
  const ofPath = path === undefined ? [] : routes.filter((route) => apiPath(route) === path);
  const selected = routes.find((route) => routeKey(route) === event.routeKey);
  const [first = selected] = ofPath;
  if (first === undefined || first.path === '$default') return first;
  if (rawPath.endsWith('/') || first.path.endsWith('/')) {
    return routes.find((route) => route.method === method && route.path === rawPath);
  }
  const values = Object.values(event.pathParameters ?? {}).filter((value) => value !== undefined);
  if (!values.every(isExactParameter)) return undefined;
  return selected ?? ofPath.find((route) => route.method === method) ?? otherMethodsOf(first);
}

const otherMethodsOf = ({ path, endpoint }: Route): Route => ({
  ...{ method: 'ANY', path, endpoint, authPolicy: 'none' },
});
