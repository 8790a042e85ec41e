import middy from '@middy/core';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { withRequestId } from '../base/request-id.ts';
import { errors } from '../errors.ts';
import type { ServiceLogger } from '../logger.ts';
import type { UserRepository } from '../people/repository.ts';
import type { Settings } from '../settings.ts';
import { withConsumption } from '../table/consumption.ts';
import { withDeadline } from '../table/deadline.ts';
import type { Endpoint } from './handler-types.ts';
import { authenticate } from './middleware/authenticate.ts';
import { bodyParameters } from './middleware/body-parameters.ts';
import { decodeBody } from './middleware/decode-body.ts';
import { errorResponse } from './middleware/error-response.ts';
import { formerInterfaces } from './middleware/former-interfaces.ts';
import { matchRoute } from './middleware/match-route.ts';
import { ownPageHeaders, ownPages } from './middleware/own-pages.ts';
import { readOnly } from './middleware/read-only.ts';
import { requestLog } from './middleware/request-log.ts';
import { response } from './middleware/response.ts';
import { requireRequest } from './request.ts';
import type { GatewayResponse } from './response/gateway-response.ts';
import type { JsonResponse } from './response/json.ts';
import { otherMethods } from './response/other-methods.ts';
import { type Route, routesOf } from './routes.ts';

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
