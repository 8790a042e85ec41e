import type { MiddlewareObj } from '@middy/core';
import type { BugzillaRequest } from './request.ts';
import type { GatewayResponse } from './response/gateway-response.ts';
import type { JsonResponse } from './response/json.ts';

/** Handles one kind of request with the services of its group. Responses that are not JSON are returned as HTTP. */
export type Endpoint<S> = (request: BugzillaRequest, services: S) => Promise<JsonResponse | GatewayResponse>;

/** A Middy middleware; the event is API Gateway's until `matchRoute` replaces it by a BugzillaRequest. */
export type Middleware = MiddlewareObj<unknown, JsonResponse | GatewayResponse>;
