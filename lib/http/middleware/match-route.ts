import { errors } from '../../errors.ts';
import type { Middleware } from '../handler-types.ts';
import { BugzillaRequest, gatewayEvent } from '../request.ts';
import { isExactParameter, type Route, routeKey } from '../routes.ts';

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
    const values = Object.values(event.pathParameters ?? {}).filter((value) => value !== undefined);
    if (route === undefined || !values.every(isExactParameter)) {
      throw errors.routeUnknown(event.requestContext.http.method, event.rawPath);
    }
    state.event = new BugzillaRequest(event, route);
  },
});
