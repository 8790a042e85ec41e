import { errors } from '../../lib/errors.ts';
import { missingPage, wantsPage } from '../../lib/http/response/error-page.ts';
import type { Endpoint } from '../../lib/http/response/gateway-response.ts';
import { otherMethods } from '../../lib/http/response/other-methods.ts';
import { type Route, routesOf } from '../../lib/http/routes.ts';
import { endpointGroupsExcept } from '../endpoint-groups.ts';
import type { InfoServices } from './services.ts';

/**
 * Handles requests without a route: of a known path by its methods; else browsers get a page, and anything else is an error.
 * functions/README.md 1.
 */
export const notFound: Endpoint<InfoServices> = async (request, { settings }) => {
  const { method, path } = request;
  const served = endpointGroupsExcept(settings.LEFT_OUT_GROUPS).flatMap(({ routes }) => routes);
  const routes = routesOf(served, path);
  if (routes.length > 0) return otherMethods(request, routes);
  const hasPages = !settings.LEFT_OUT_GROUPS.includes('explorer');
  if (hasPages && wantsPage(request)) return missingPage(request);
  throw errors.routeUnknown(method, path, similarPath(path, served));
};

/** The hint at a path that differs by a plural, a slash at its end, or a missing `/rest`; none: undefined. */
function similarPath(path: string, served: readonly Route[]): string | undefined {
  const trimmed = path.replace(/\/+$/, '');
  const candidates = [trimmed, trimmed.replace(/^(\/rest\/[a-z]+)s(?=\/|$)/, '$1'), `/rest${trimmed}`];
  const found = candidates.find((one) => one !== path && routesOf(served, one).length > 0);
  return found === undefined ? undefined : `There is '${found.slice(0, 200)}'.`;
}
