import middy from '@middy/core';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { withRequestId } from '../base/ids.ts';
import { BugzillaError, errors } from '../errors.ts';
import type { ServiceLogger } from '../logger.ts';
import type { UserRepository } from '../people/repository.ts';
import type { Settings } from '../settings.ts';
import { currentCapacity, withConsumption } from '../table/consumption.ts';
import { withDeadline } from '../table/retry.ts';
import { authenticate } from './credentials.ts';
import type { Endpoint, Middleware } from './handler-types.ts';
import { bodyParameters, decodeBody } from './middleware/decode-body.ts';
import { errorResponse } from './middleware/error-response.ts';
import { formerInterfaces, ownPageHeaders, ownPages, readOnly } from './middleware/refusals.ts';
import { BugzillaRequest, matchRoute, requestIdOf, requireRequest } from './request.ts';
import { type GatewayResponse, toGatewayResponse } from './response/gateway-response.ts';
import { ignoredHeader, JsonResponse } from './response/json.ts';
import { otherMethods } from './response/other-methods.ts';
import { type Route, routeKey, routesOf } from './routes.ts';

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
 *
 * @example middy(endpoint).use(requestLog(services))
 */
function requestLog({ logger }: { logger: ServiceLogger }): Middleware {
  const started = new WeakMap<object, number>();
  const log: Middleware['after'] = (state) => {
    const { event, response, error } = state;
    if (response === undefined || response === null || response instanceof JsonResponse) return;
    const request = event instanceof BugzillaRequest ? event : undefined;
    logger.request({
      requestId: requestIdOf(event, state.context.awsRequestId),
      method: request?.method ?? '',
      path: request?.path ?? '',
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
 *
 * @example middy(endpoint).use(response())
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
