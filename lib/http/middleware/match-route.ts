import { errors } from '../../errors.ts';
import type { Middleware } from '../handler-types.ts';
import { BugzillaRequest, type GatewayEvent, gatewayEvent } from '../request.ts';
import { isExactParameter, type Route, routeKey, withHead, withoutScript } from '../routes.ts';

/**
 * Replaces API Gateway's event by a request of one of the group's routes, with the parameters of its query string. Paths
 * under `/rest.cgi/` are those under `/rest/`.
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
      if (route === undefined) throw errors.routeUnknown(event.requestContext.http.method, event.rawPath);
      state.event = new BugzillaRequest(event, route);
    },
  };
};

/**
 * The route of an event, as Bugzilla would route the path. API Gateway has no routes that end in a slash, and may select
 * the route without it, so that its choice does not count for paths that do.
 */
function findRoute(routes: readonly Route[], event: GatewayEvent): Route | undefined {
  const { rawPath, requestContext } = event;
  const selected = routes.find((route) => routeKey(route) === event.routeKey);
  if (selected === undefined || selected.path === '$default') return selected;
  if (rawPath.endsWith('/') || selected.path.endsWith('/')) {
    return routes.find(({ method, path }) => method === requestContext.http.method && path === rawPath);
  }
  const values = Object.values(event.pathParameters ?? {}).filter((value) => value !== undefined);
  return values.every(isExactParameter) ? selected : undefined;
}
