import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { routeGroupsExcept } from '../../../functions/groups.ts';
import { writeBundle } from '../../stack/bundle.ts';
import { readConfiguration } from '../../stack/configuration.ts';
import { settingNames } from '../../stack/configuration-schema.ts';
import type { GatewayRoute } from '../gateway/gateway.ts';
import { type Handler, loadHandler } from '../gateway/lambda.ts';
import { gatewayRoutes } from '../sources.ts';
import { startIamProxy } from './iam-proxy.ts';

const FOLDER = '.local/bundles';

/**
 * Loads the bundles that would be deployed, each with the environment and the permissions that the stack gives it. The
 * settings are those of `process.env`.
 *
 * @param tableName of the table
 * @param endpoint URL of the DynamoDB that has the table
 * @param cleanup receives the functions that stop the proxies
 * @returns the routes with their handlers
 * @throws Error when a setting is invalid, or a bundle cannot be built
 */
export async function loadBundles(
  tableName: string,
  endpoint: string,
  cleanup: AsyncDisposableStack,
): Promise<GatewayRoute[]> {
  const { settings, leftOutGroups } = readConfiguration({}, () =>
    Object.fromEntries(Object.entries(process.env).filter(([name]) => settingNames.includes(name))),
  );
  const routes: GatewayRoute[] = [];
  for (const routeGroup of routeGroupsExcept(leftOutGroups)) {
    const folder = resolve(FOLDER, routeGroup.name);
    mkdirSync(folder, { recursive: true });
    writeBundle(routeGroup, folder, join(FOLDER, 'source-maps'));
    const proxy = await startIamProxy(endpoint, routeGroup.permissions);
    cleanup.defer(proxy.stop);
    const environment = { ...settings, TABLE_NAME: tableName, DYNAMODB_ENDPOINT: proxy.endpoint };
    routes.push(...gatewayRoutes(routeGroup, await loadBundle(join(folder, 'index.mjs'), environment)));
  }
  return routes;
}

/** Loads a function while the settings in `process.env` are its own. */
async function loadBundle(file: string, environment: Readonly<Record<string, string>>): Promise<Handler> {
  const before = process.env;
  const others = Object.entries(before).filter(([name]) => !settingNames.includes(name));
  process.env = { ...Object.fromEntries(others), ...environment };
  try {
    return await loadHandler(pathToFileURL(file).href);
  } finally {
    process.env = before;
  }
}
