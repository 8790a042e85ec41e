import { BugzillaError } from '../../errors.ts';
import type { ServiceLogger } from '../../logger.ts';
import { currentCapacity } from '../../table/consumption.ts';
import type { Middleware } from '../handler-types.ts';
import { BugzillaRequest, requestIdOf } from '../request.ts';
import { JsonResponse } from '../response/json.ts';
import { routeKey } from '../routes.ts';

/**
 * Logs every request with its outcome, duration and DynamoDB usage.
 *
 * @example middy(endpoint).use(requestLog(services))
 */
export function requestLog({ logger }: { logger: ServiceLogger }): Middleware {
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
