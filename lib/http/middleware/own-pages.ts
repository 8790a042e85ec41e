import { errors } from '../../errors.ts';
import { baseAddress } from '../base-address.ts';
import type { Middleware } from '../handler-types.ts';
import { BugzillaRequest, requireRequest } from '../request.ts';
import { headersForOwnPages } from '../response/headers.ts';
import { JsonResponse } from '../response/json.ts';
import { writes } from '../routes.ts';

/** What browsers say of requests of a page of the same address, or of the user's own. */
const SAME_ORIGIN: ReadonlySet<string> = new Set(['same-origin', 'none']);
const JSON_TYPE = /^\s*application\/json\s*(;|$)/i;

/**
 * Makes the responses of routes for the pages of this address alone unreadable for other origins, and keeps them out of caches.
 *
 * @example middy(endpoint).use(ownPageHeaders()).use(errorResponse(services)).use(response())
 */
export function ownPageHeaders(): Middleware {
  const restrict: Middleware['after'] = (state) => {
    const { event, response } = state;
    if (!(event instanceof BugzillaRequest) || event.route.isForOwnPages !== true) return;
    if (response === undefined || response === null || response instanceof JsonResponse) return;
    state.response = { ...response, headers: headersForOwnPages(response.headers) };
  };
  return { after: restrict, onError: restrict };
}

/**
 * Refuses requests of other origins, and bodies that a form can send, on routes for the pages of this address alone.
 *
 * @example middy(endpoint).use(matchRoute(routes)).use(ownPages())
 */
export const ownPages = (): Middleware => ({
  before: ({ event }) => {
    const request = requireRequest(event);
    if (request.route.isForOwnPages !== true) return;
    if (!isOfOwnPage(request)) throw errors.originNotAllowed();
    const { 'content-type': contentType = '' } = request.headers;
    const hasBody = typeof request.body === 'string' && request.body !== '';
    if (writes(request.route) && hasBody && !JSON_TYPE.test(contentType)) {
      throw errors.contentTypeUnsupported(contentType);
    }
  },
});

function isOfOwnPage(request: BugzillaRequest): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined && !SAME_ORIGIN.has(site)) return false;
  return origin === undefined || origin === new URL(baseAddress(request)).origin;
}
