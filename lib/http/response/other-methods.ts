import { errors } from '../../errors.ts';
import type { BugzillaRequest } from '../request.ts';
import type { Route } from '../routes.ts';
import { COMMON_HEADERS, type GatewayResponse, headersForOwnPages } from './gateway-response.ts';
import { type JsonResponse, ok } from './json.ts';

/**
 * Handles the methods that a path has no route for: OPTIONS responds with those that it has, others are errors.
 * functions/README.md 1, 2 (OPTIONS).
 *
 * @param routes of the path, with HEAD; at least one
 * @throws BugzillaError 404, unless the method is OPTIONS
 */
export function otherMethods(
  { method, path }: Pick<BugzillaRequest, 'method' | 'path'>,
  routes: readonly Route[],
): JsonResponse | GatewayResponse {
  const methods = [...new Set(routes.map((route) => route.method))];
  if (method !== 'OPTIONS') throw errors.routeUnknown(method, path, `Its path has ${methods.join(', ')}.`);
  const allow = [...methods, 'OPTIONS'].join(', ');
  if (routes.some(({ isForOwnPages }) => isForOwnPages === true)) return withoutCors({ allow });
  return ok({}, { allow, 'access-control-allow-methods': allow, 'access-control-max-age': '86400' });
}

/** The response to OPTIONS of a path for the pages of this address alone: a browser sends no request of another origin then. */
const withoutCors = (headers: Record<string, string>): GatewayResponse => ({
  ...{ statusCode: 200, body: '{}', isBase64Encoded: false },
  headers: headersForOwnPages({ ...COMMON_HEADERS, ...headers }),
});
