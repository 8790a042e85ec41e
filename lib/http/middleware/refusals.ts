import * as z from 'zod/mini';
import { errors, type FormerInterface } from '../../errors.ts';
import type { Settings } from '../../settings.ts';
import { BugzillaRequest, baseAddress, requireRequest } from '../request.ts';
import { headersForOwnPages, type Middleware } from '../response/gateway-response.ts';
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

/** The paths of Bugzilla's older interfaces, which clients try first on a host without `/rest`. */
const FORMER_PATHS: ReadonlyMap<string, FormerInterface> = new Map([
  ['/xmlrpc.cgi', 'XML-RPC'],
  ['/jsonrpc.cgi', 'JSON-RPC'],
]);

/**
 * Refuses requests of Bugzilla's older interfaces, XML-RPC and JSON-RPC, at any path, and JSONP of the REST interface. No
 * operation takes XML, or a body that names a method.
 *
 * @example middy(endpoint).use(matchRoute(routes)).use(formerInterfaces())
 */
export const formerInterfaces = (): Middleware => ({
  before: ({ event }) => {
    const request = requireRequest(event);
    const { method, path, parameters, route } = request;
    const kind = FORMER_PATHS.get(path) ?? (method === 'POST' ? kindOfBody(request) : undefined);
    if (kind !== undefined && method === 'POST')
      throw errors.rpcRequested(kind, `${baseAddress(request)}rest`);
    if (kind !== undefined) throw errors.rpcUnsupported(kind);
    const isRest = route.path.startsWith('/rest/');
    // An empty one asks for nothing, as in Bugzilla.
    if (isRest && (parameters.get('callback') ?? '') !== '') throw errors.callbackUnsupported();
  },
});

/** Calls are short, and what is longer is not parsed twice. In bytes. */
const MAX_CALL_BYTES = 65_536;
const XML_START = /^\s*<(\?xml|methodCall)\b/;
const JSON_CALL = /"method"\s*:\s*"[A-Z]\w*\.\w+"/;
const call = z.object({ method: z.string().check(z.regex(/^[A-Z]\w*\.\w+$/)) });

function kindOfBody({ body, isBase64Encoded }: BugzillaRequest): FormerInterface | undefined {
  const given = String(body ?? '');
  if (given.length > MAX_CALL_BYTES) return undefined;
  const text = isBase64Encoded ? Buffer.from(given, 'base64').toString() : given;
  if (XML_START.test(text)) return 'XML-RPC';
  return JSON_CALL.test(text) && isCall(text) ? 'JSON-RPC' : undefined;
}

function isCall(json: string): boolean {
  try {
    return call.safeParse([JSON.parse(json)].flat()[0]).success;
  } catch {
    return false;
  }
}

interface ReadOnlyServices {
  settings: Pick<Settings, 'READ_ONLY'>;
  /** absent: the function has no table */
  requireOpen?: () => Promise<void>;
}

/**
 * Refuses writes while the deployment is read-only, so that none is lost when another table takes over, and while an import
 * has closed the table. Routes that are always open, such as those of sign-in, are served.
 *
 * @example middy(endpoint).use(matchRoute(routes)).use(readOnly(services))
 */
export const readOnly = ({ settings, requireOpen }: ReadOnlyServices): Middleware => ({
  before: async ({ event }) => {
    const { route } = requireRequest(event);
    if (!writes(route) || route.isAlwaysOpen === true) return;
    if (settings.READ_ONLY) throw errors.readOnly();
    await requireOpen?.();
  },
});
