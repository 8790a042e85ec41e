import { errors } from '../../errors.ts';
import type { Middleware } from '../handler-types.ts';
import { BugzillaRequest, type GatewayEvent, gatewayEvent } from '../request.ts';
import {
  apiPath,
  isExactParameter,
  matchPath,
  type Route,
  routeKey,
  routesOf,
  withHead,
  withoutScript,
} from '../routes.ts';

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
