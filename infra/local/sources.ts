import { groupsExcept } from '../../functions/groups.ts';
import { routeKey } from '../../lib/http/routes.ts';
import { readSettings } from '../../lib/settings.ts';
import type { GatewayRoute } from './gateway/gateway.ts';
import { loadHandler } from './gateway/lambda.ts';

/**
 * Every route that is served with the handler of its group, run from the sources. They read `process.env` while
 * they are loaded: set it before.
 */
export async function loadSources(): Promise<GatewayRoute[]> {
  const routes: GatewayRoute[] = [];
  for (const [group, declared] of Object.entries(groupsExcept(readSettings(process.env).LEFT_OUT_GROUPS))) {
    const index = new URL(`../../functions/${group}/index.ts`, import.meta.url);
    const handler = await loadHandler(index.href);
    routes.push(...declared.map((route) => ({ routeKey: routeKey(route), functionName: group, handler })));
  }
  return routes;
}
