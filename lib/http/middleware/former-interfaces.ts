import * as z from 'zod/mini';
import { errors, type FormerInterface } from '../../errors.ts';
import { baseAddress } from '../base-address.ts';
import type { Middleware } from '../handler-types.ts';
import { type BugzillaRequest, requireRequest } from '../request.ts';

/** The paths of Bugzilla's older interfaces, which clients try first on a host without `/rest`. */
const PATHS: ReadonlyMap<string, FormerInterface> = new Map([
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
    const kind = PATHS.get(path) ?? (method === 'POST' ? kindOfBody(request) : undefined);
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
