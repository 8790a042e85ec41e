import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { currentCapacity, withCapacityTracking } from '../dynamodb/capacity.ts';
import { withDeadline } from '../dynamodb/deadline.ts';
import { BugzillaError, errors } from '../errors.ts';
import type { ServiceLogger } from '../logger.ts';
import type { Settings } from '../settings.ts';
import type { UserRepository } from '../users/repository.ts';
import { authenticate } from './credentials.ts';
import { toErrorResponse } from './middleware/error-response.ts';
import { type GatewayResponse, toGatewayResponse } from './middleware/response.ts';
import { BugzillaRequest, readRequest, wantsHtml } from './request.ts';
import { JsonResponse } from './response/json-response.ts';
import { type Route, routeKey } from './routes.ts';

/** Answers one kind of request, with the services of its group; what is no JSON, as it is to be sent. */
export type Endpoint<S> = (request: BugzillaRequest, services: S) => Promise<JsonResponse | GatewayResponse>;

/** What the chain itself needs; a group's services have more. */
export interface ChainServices {
  settings: Settings;
  users: Pick<UserRepository, 'byApiKey' | 'byToken' | 'byPassword'>;
  log: ServiceLogger;
}

type Middleware = middy.MiddlewareObj<unknown, JsonResponse | GatewayResponse>;

/**
 * The Lambda handler of a group of routes. On the way in: read the request, start to find out who asks
 * (endpoints read what they need meanwhile). On the way out: JSON, ETag, compression, or the error.
 *
 * @param routes of the group
 * @param endpoints by the name that the routes call them
 * @param services what the endpoints work with
 */
export function lambdaHandler<R extends readonly Route[], S extends ChainServices>(
  routes: R,
  endpoints: Readonly<Record<R[number]['endpoint'], Endpoint<S>>>,
  services: S,
) {
  const byName: ReadonlyMap<string, Endpoint<S>> = new Map(Object.entries<Endpoint<S>>(endpoints));
  const chain = middy<unknown, JsonResponse | GatewayResponse>(async (event: unknown) => {
    const request = asRequest(event);
    const endpoint = byName.get(request.route.endpoint);
    if (endpoint === undefined) throw errors.routeUnknown(request.method, request.path);
    return endpoint(request, services);
  })
    .use(logsRequests(services))
    .use(answersErrors(services))
    .use(sendsAnswers())
    .use(readsRequests(routes))
    .use(identifiesCallers(services));
  const retryTimeoutMs = services.settings.DATABASE_RETRY_TIMEOUT_MS;
  return (event: unknown, context: Context) =>
    withCapacityTracking(() => withDeadline(retryTimeoutMs, () => chain(event, context)));
}

const logsRequests = ({ log }: ChainServices): Middleware => {
  const began = new WeakMap<object, number>();
  const answered: Middleware['after'] = (state) => {
    const { event, response, error } = state;
    if (response === undefined || response === null || response instanceof JsonResponse) return;
    const request = event instanceof BugzillaRequest ? event : undefined;
    log.request({
      requestId: requestIdOf(event, state.context.awsRequestId),
      method: request?.method ?? '',
      path: request?.path ?? '',
      route: request === undefined ? '$default' : routeKey(request.route),
      status: response.statusCode,
      code: error instanceof BugzillaError ? error.code : undefined,
      userId: request?.user?.id,
      milliseconds: performance.now() - (began.get(state) ?? 0),
      capacity: currentCapacity(),
    });
  };
  return { before: (state) => void began.set(state, performance.now()), after: answered, onError: answered };
};

const answersErrors = ({ settings, log }: ChainServices): Middleware => ({
  onError: (state) => {
    const { event, context, error } = state;
    const about = { requestId: requestIdOf(event, context.awsRequestId), isHtml: wantsHtml(event) };
    state.response = toErrorResponse(error, about, settings.DOCUMENTATION_URL, log);
  },
});

const sendsAnswers = (): Middleware => ({
  after: async (state) => {
    if (state.response instanceof JsonResponse) {
      state.response = await toGatewayResponse(asRequest(state.event), state.response);
    }
  },
});

const readsRequests = (routes: readonly Route[]): Middleware => ({
  before: (state) => {
    state.event = readRequest(state.event, routes);
  },
});

const identifiesCallers = ({ users, settings }: ChainServices): Middleware => ({
  before: (state) => {
    const request = asRequest(state.event);
    request.caller = authenticate(request, users, settings);
    request.caller.then(
      ({ user }) => {
        request.user = user;
      },
      // An endpoint may fail before it asks who calls; that must not end the process.
      () => undefined,
    );
  },
});

function asRequest(event: unknown): BugzillaRequest {
  if (event instanceof BugzillaRequest) return event;
  throw new TypeError('The request has not been read yet');
}

function requestIdOf(event: unknown, fallback: string): string {
  return event instanceof BugzillaRequest ? event.requestId : fallback;
}
