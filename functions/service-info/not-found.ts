import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import type { GatewayResponse } from '../../lib/http/response/gateway-response.ts';
import { COMMON_HEADERS, headersForOwnPages } from '../../lib/http/response/headers.ts';
import { ok } from '../../lib/http/response/json.ts';
import { missingPage, wantsPage } from '../../lib/http/response/missing-page.ts';
import { isExactParameter, matchPath, type Route, withHead } from '../../lib/http/routes.ts';
import { endpointGroupsExcept } from '../endpoint-groups.ts';
import type { InfoServices } from './services.ts';

/**
 * Handles requests without a route: OPTIONS responds with the methods of a path, browsers get a page, anything else is an error.
 * functions/README.md 1, 2 (OPTIONS).
 */
export const notFound: Endpoint<InfoServices> = async (request, { settings }) => {
  const { method, path } = request;
  const routes = routesOf(path, settings.LEFT_OUT_GROUPS);
  const methods = [...new Set(routes.map((route) => route.method))];
  const hasPages = !settings.LEFT_OUT_GROUPS.includes('explorer');
  if (methods.length === 0 && hasPages && wantsPage(request)) return missingPage(request);
  if (methods.length === 0)
    throw errors.routeUnknown(method, path, similarPath(path, settings.LEFT_OUT_GROUPS));
  if (method !== 'OPTIONS') throw errors.routeUnknown(method, path, `Its path has ${methods.join(', ')}.`);
  const allow = [...methods, 'OPTIONS'].join(', ');
  if (routes.some(({ isForOwnPages }) => isForOwnPages === true)) return withoutCors({ allow });
  return ok({}, { allow, 'access-control-allow-methods': allow, 'access-control-max-age': '86400' });
};

/** The response to OPTIONS of a path for the pages of this address alone: a browser sends no request of another origin then. */
const withoutCors = (headers: Record<string, string>): GatewayResponse => ({
  ...{ statusCode: 200, body: '{}', isBase64Encoded: false },
  headers: headersForOwnPages({ ...COMMON_HEADERS, ...headers }),
});

function routesOf(path: string, leftOut: readonly string[]): Route[] {
  const served = endpointGroupsExcept(leftOut).flatMap(({ routes }) => withHead(routes));
  return served.filter((route) => {
    const parameters = matchPath(route.path, path);
    return parameters !== undefined && Object.values(parameters).every(isExactParameter);
  });
}

/** The hint at a path that differs by a plural, a slash at its end, or a missing `/rest`; none: undefined. */
function similarPath(path: string, leftOut: readonly string[]): string | undefined {
  const trimmed = path.replace(/\/+$/, '');
  const candidates = [trimmed, trimmed.replace(/^(\/rest\/[a-z]+)s(?=\/|$)/, '$1'), `/rest${trimmed}`];
  const found = candidates.find((one) => one !== path && routesOf(one, leftOut).length > 0);
  return found === undefined ? undefined : `There is '${found.slice(0, 200)}'.`;
}
