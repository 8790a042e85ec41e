import middy from '@middy/core';
import { errors } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Settings } from '../settings.ts';
import type { UserStore } from '../users/store.ts';
import { Answer } from './answer.ts';
import { identify } from './credentials.ts';
import { answerError } from './error-answers.ts';
import { BugzillaRequest, readRequest } from './request.ts';
import type { Route } from './routing.ts';
import { type GatewayResult, sendAnswer } from './sending.ts';

/** Answers one kind of request, with the services of its group. */
export type Endpoint<S> = (request: BugzillaRequest, services: S) => Promise<Answer>;

/** What the chain itself needs; a group's services have more. */
export interface ChainServices {
  settings: Settings;
  users: Pick<UserStore, 'byApiKey' | 'byToken' | 'byPassword'>;
  log: Log;
}

type Middleware = middy.MiddlewareObj<unknown, Answer | GatewayResult>;

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
  return middy<unknown, Answer | GatewayResult>(async (event: unknown) => {
    const request = asRequest(event);
    const endpoint = byName.get(request.route.endpoint);
    if (endpoint === undefined) throw errors.routeUnknown(request.method, request.path);
    return endpoint(request, services);
  })
    .use(answersErrors(services))
    .use(sendsAnswers())
    .use(readsRequests(routes))
    .use(identifiesCallers(services));
}

const answersErrors = ({ settings, log }: ChainServices): Middleware => ({
  onError: (state) => {
    state.response = answerError(
      state.error,
      requestIdOf(state.event, state.context.awsRequestId),
      settings.DOCUMENTATION_URL,
      log,
    );
  },
});

const sendsAnswers = (): Middleware => ({
  after: async (state) => {
    if (state.response instanceof Answer) {
      state.response = await sendAnswer(asRequest(state.event), state.response);
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
    request.caller = identify(request, users, settings);
    // An endpoint may fail before it asks who calls; that must not end the process.
    request.caller.catch(() => undefined);
  },
});

function asRequest(event: unknown): BugzillaRequest {
  if (event instanceof BugzillaRequest) return event;
  throw new TypeError('The request has not been read yet');
}

function requestIdOf(event: unknown, fallback: string): string {
  return event instanceof BugzillaRequest ? event.requestId : fallback;
}
