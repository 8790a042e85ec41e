import { errors } from '../../errors.ts';
import type { Middleware } from '../handler-types.ts';
import { BugzillaRequest, gatewayEvent } from '../request.ts';
import { areExactParameters, type Route, routeKey } from '../routes.ts';

/**
 * Replaces API Gateway's event by a request of one of the group's routes, with the parameters of its query string.
 *
 * @throws errors.routeUnknown (404, 32614)
 * @example middy(endpoint).use(matchRoute(routes))
 */
export const matchRoute = (routes: readonly Route[]): Middleware => ({
  before: (state) => {
    const event = gatewayEvent.parse(state.event);
    const route = routes.find((candidate) => routeKey(candidate) === event.routeKey);
    if (route === undefined || !areExactParameters(event.pathParameters ?? {})) {
      throw errors.routeUnknown(event.requestContext.http.method, event.rawPath);
    }
    state.event = new BugzillaRequest(event, route);
  },
});
