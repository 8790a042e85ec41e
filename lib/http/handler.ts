import middy from '@middy/core';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { BugzillaError, errors } from '../errors.ts';
import type { ServiceLogger } from '../logger.ts';
import type { UserRepository } from '../people/repository.ts';
import type { Settings } from '../settings.ts';
import { currentCapacity, withConsumption, withRequestId } from '../table/consumption.ts';
import { withDeadline } from '../table/retry.ts';
import { authenticate } from './credentials.ts';
import { bodyParameters, decodeBody } from './middleware/decode-body.ts';
import { errorResponse } from './middleware/error-response.ts';
import { formerInterfaces, ownPageHeaders, ownPages, readOnly } from './middleware/refusals.ts';
import {
  BugzillaRequest,
  type GatewayEvent,
  gatewayEvent,
  ignoredHeader,
  requestIdOf,
  requireRequest,
} from './request.ts';
import {
  type Endpoint,
  type GatewayResponse,
  type Middleware,
  toGatewayResponse,
} from './response/gateway-response.ts';
import { JsonResponse } from './response/json.ts';
import { otherMethods } from './response/other-methods.ts';
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

/** Services that the middlewares need; those of a group have more. */
export interface HandlerServices {
  settings: Settings;
  users: Pick<UserRepository, 'byApiKey' | 'byToken' | 'byPassword'>;
  logger: ServiceLogger;
  /** refuses writes while an import has closed the table; absent: the function has no table */
  requireOpen?: () => Promise<void>;
}

/**
 * Builds the Lambda handler of a group of routes.
 *
 * @param routes of the group
 * @param endpoints by the names that the routes use
 * @param services passed to the endpoints
 */
export function lambdaHandler<R extends readonly Route[], S extends HandlerServices>(
  routes: R,
  endpoints: Readonly<Record<R[number]['endpoint'], Endpoint<S>>>,
  services: S,
) {
  const byName: ReadonlyMap<string, Endpoint<S>> = new Map(Object.entries<Endpoint<S>>(endpoints));
  const handler = middy<unknown, JsonResponse | GatewayResponse>(async (event: unknown) => {
    const request = requireRequest(event);
    const { method, path } = request.route;
    if (method === 'ANY' && path !== '$default') return otherMethods(request, routesOf(routes, request.path));
    const endpoint = byName.get(request.route.endpoint);
    if (endpoint === undefined) throw errors.routeUnknown(request.method, request.path);
    return withRequestId(request.requestId, () => endpoint(request, services));
  })
    // `before` runs from top to bottom, `after` and `onError` from bottom to top.
    .use(requestLog(services))
    .use(ownPageHeaders())
    .use(errorResponse(services))
    .use(response())
    .use(matchRoute(routes))
    .use(formerInterfaces())
    .use(ownPages())
    .use(readOnly(services))
    .use(decodeBody())
    .use(httpJsonBodyParser({ disableContentTypeCheck: true }))
    .use(bodyParameters())
    .use(authenticate(services));
  const timeoutMs = services.settings.DATABASE_RETRY_TIMEOUT_MS;
  return (event: APIGatewayProxyEventV2, context: Context) =>
    withConsumption(() => withDeadline(timeoutMs, () => handler(event, context)));
}

/**
 * Logs every request with its outcome, duration and DynamoDB usage.
 */
function requestLog({ logger }: { logger: ServiceLogger }): Middleware {
  const started = new WeakMap<object, number>();
  const log: Middleware['after'] = (state) => {
    const { event, response, error } = state;
    if (response === undefined || response === null || response instanceof JsonResponse) return;
    const request = event instanceof BugzillaRequest ? event : undefined;
    // Without a route, it is the event still.
    const given = request === undefined ? gatewayEvent.safeParse(event).data : undefined;
    logger.request({
      requestId: requestIdOf(event, state.context.awsRequestId),
      method: request?.method ?? given?.requestContext.http.method ?? '',
      path: request?.path ?? given?.rawPath ?? '',
      route: request === undefined ? '$default' : routeKey(request.route),
      status: response.statusCode,
      code: error instanceof BugzillaError ? error.code : undefined,
      userId: request?.userId,
      milliseconds: performance.now() - (started.get(state) ?? 0),
      capacity: currentCapacity(),
    });
  };
  return { before: (state) => void started.set(state, performance.now()), after: log, onError: log };
}

/**
 * Serializes the response of the endpoint.
 */
const response = (): Middleware => ({
  after: async (state) => {
    if (state.response instanceof JsonResponse) {
      const request = requireRequest(state.event);
      const { status, body, headers } = state.response;
      const ignored = ignoredHeader(request.parameters.ignored());
      state.response = await toGatewayResponse(
        request,
        new JsonResponse(status, body, { ...ignored, ...headers }),
      );
    }
  },
});

const EMPTY_SEGMENTS = /\/{2,}/g;

/**
 * Replaces API Gateway's event by a request of one of the group's routes, with the parameters of its query string. Paths
 * under `/rest.cgi/` are those under `/rest/`. Doubled slashes in a path are one: API Gateway passes such a path to any function,
 * so where the path is another one's, the client is sent there, because each has its own policy. A browser follows no redirect of
 * OPTIONS. Of a path that has one route of API Gateway for all methods, the other methods get a route `ANY`. The group of
 * `$default` gets all of its paths by that one.
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
      const isDefault = route?.path === '$default';
      if (isDefault || (single !== rawPath && route === undefined)) {
        const own = ownRoute(all, method, withoutScript(single));
        if (own !== undefined) {
          const { path, pathParameters } = own;
          state.event = new BugzillaRequest({ ...event, rawPath: path, pathParameters }, own.route);
          return;
        }
        if (single !== rawPath && (!isDefault || method !== 'OPTIONS'))
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
