import { errors } from '../../lib/errors.ts';
import type { Endpoint } from '../../lib/http/handler-types.ts';
import { ok } from '../../lib/http/response/json.ts';
import { isExactParameter, matchPath } from '../../lib/http/routes.ts';
import type { InfoServices } from '../../lib/services.ts';
import { groupsExcept } from '../groups.ts';

/** The path of Bugzilla's older interface, which clients call first when they get a host without `/rest`. */
const XML_RPC = '/xmlrpc.cgi';

/**
 * Answers what no route takes: OPTIONS says which methods a path has, all else is unknown.
 * functions/README.md 1, 2 (OPTIONS).
 *
 * @throws errors.routeUnknown, errors.xmlRpcUnsupported (404, 32614)
 */
export const notFound: Endpoint<InfoServices> = async ({ method, path }, { settings }) => {
  if (path === XML_RPC) throw errors.xmlRpcUnsupported();
  const methods = method === 'OPTIONS' ? methodsOf(path, settings.LEFT_OUT_GROUPS) : [];
  if (methods.length === 0) throw errors.routeUnknown(method, path);
  const allow = [...methods, 'OPTIONS'].join(', ');
  return ok({}, { allow, 'access-control-allow-methods': allow, 'access-control-max-age': '86400' });
};

function methodsOf(path: string, leftOut: readonly string[]): string[] {
  const served = groupsExcept(leftOut).flatMap(({ routes }) => routes);
  const fitting = served.filter((route) => {
    const parameters = matchPath(route.path, path);
    return parameters !== undefined && Object.values(parameters).every(isExactParameter);
  });
  return [...new Set(fitting.map((route) => route.method))];
}
