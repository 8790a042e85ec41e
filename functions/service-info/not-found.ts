import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { ok } from '../../lib/http/response/json.ts';
import { isExactParameter, matchPath, withHead } from '../../lib/http/routes.ts';
import { endpointGroupsExcept } from '../endpoint-groups.ts';
import type { InfoServices } from './services.ts';

/** The path of Bugzilla's XML-RPC interface, which clients try first on a host without `/rest`. */
const XML_RPC = '/xmlrpc.cgi';

/**
 * Handles requests without a route: OPTIONS responds with the methods of a path, anything else is an error.
 * functions/README.md 1, 2 (OPTIONS).
 */
export const notFound: Endpoint<InfoServices> = async ({ method, path }, { settings }) => {
  if (path === XML_RPC) throw errors.xmlRpcUnsupported();
  const methods = method === 'OPTIONS' ? methodsOf(path, settings.LEFT_OUT_GROUPS) : [];
  if (methods.length === 0) throw errors.routeUnknown(method, path);
  const allow = [...methods, 'OPTIONS'].join(', ');
  return ok({}, { allow, 'access-control-allow-methods': allow, 'access-control-max-age': '86400' });
};

function methodsOf(path: string, leftOut: readonly string[]): string[] {
  const served = endpointGroupsExcept(leftOut).flatMap(({ routes }) => withHead(routes));
  const matching = served.filter((route) => {
    const parameters = matchPath(route.path, path);
    return parameters !== undefined && Object.values(parameters).every(isExactParameter);
  });
  return [...new Set(matching.map((route) => route.method))];
}
