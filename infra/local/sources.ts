import { endpointGroupsExcept } from '../../functions/endpoint-groups.ts';
import { gatewayRouteKeys } from '../../lib/http/routes.ts';
import { readSettings } from '../../lib/settings.ts';
import type { GatewayRoute } from './gateway/gateway.ts';
import { loadHandler } from './gateway/lambda.ts';

/**
 * Loads the handlers of all groups that are served, from the sources. They read `process.env` while they are
 * loaded, so it must be set before.
 *
 * @returns the routes with their handlers
 * @throws Error naming each setting that is missing or invalid
 */
export async function loadSources(): Promise<GatewayRoute[]> {
  const gatewayRoutes: GatewayRoute[] = [];
  for (const { name, routes } of endpointGroupsExcept(readSettings(process.env).LEFT_OUT_GROUPS)) {
    const index = new URL(`../../functions/${name}/index.ts`, import.meta.url);
    const handler = await loadHandler(index.href);
    gatewayRoutes.push(
      ...gatewayRouteKeys(routes).map((routeKey) => ({ routeKey, functionName: name, handler })),
    );
  }
  return gatewayRoutes;
}
