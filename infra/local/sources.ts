import { routeGroupsExcept } from '../../functions/groups.ts';
import { type RouteGroup, routeKey, withHead } from '../../lib/http/routes.ts';
import { readSettings } from '../../lib/settings.ts';
import type { GatewayRoute } from './gateway/gateway.ts';
import { type Handler, loadHandler } from './gateway/lambda.ts';

/**
 * Loads the handlers of all groups that are served, from the sources. They read `process.env` while they are
 * loaded, so it must be set before.
 *
 * @returns the routes with their handlers
 * @throws Error naming each setting that is missing or invalid
 */
export async function loadSources(): Promise<GatewayRoute[]> {
  const routes: GatewayRoute[] = [];
  for (const routeGroup of routeGroupsExcept(readSettings(process.env).LEFT_OUT_GROUPS)) {
    const index = new URL(`../../functions/${routeGroup.name}/index.ts`, import.meta.url);
    routes.push(...gatewayRoutes(routeGroup, await loadHandler(index.href)));
  }
  return routes;
}

/** The routes of a group, which one handler serves. */
export const gatewayRoutes = ({ name, routes }: RouteGroup, handler: Handler): GatewayRoute[] =>
  withHead(routes).map((route) => ({ routeKey: routeKey(route), functionName: name, handler }));
