import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import { buildApp } from '../../stack/build-app.ts';
import { settingNames } from '../../stack/configuration-schema.ts';
import type { GatewayRoute } from '../gateway/gateway.ts';
import { type Handler, loadHandler } from '../gateway/lambda.ts';
import { startIamProxy } from './iam-proxy.ts';
import { readTemplate, type TemplateFunction } from './template.ts';

const PROJECT = join(import.meta.dirname, '../../..');
const CDK_OUT = '.local/cdk.out';

const cdkJson = z.object({ context: z.record(z.string(), z.unknown()) });

/**
 * Synthesizes the stack, as `cdk synth` does, and loads the bundles that would be deployed, each with the
 * environment and the permissions of the template. The settings are those of `process.env`.
 *
 * @param tableName replaces references to the table in the template
 * @param endpoint URL of the DynamoDB that has the table
 * @param cleanup receives the functions that stop the proxies
 * @returns the routes of the template with their handlers
 * @throws Error when the template or a bundle cannot be read
 */
export async function loadBundles(
  tableName: string,
  endpoint: string,
  cleanup: AsyncDisposableStack,
): Promise<GatewayRoute[]> {
  const { context } = cdkJson.parse(readJson(join(PROJECT, 'cdk.json')));
  // Validating the template takes longer than all the rest, and is the task of `cdk synth`.
  const props = { outdir: resolve(CDK_OUT), context, builtinCloudFormationValidation: false };
  const { app, stack } = buildApp(props, settingsOfEnvironment);
  const assembly = app.synth();
  const { functions, routes } = readTemplate(
    readJson(join(assembly.directory, stack.templateFile)),
    tableName,
  );
  const handlers = new Map<string, Handler>();
  for (const templateFunction of functions) {
    const proxy = await startIamProxy(endpoint, templateFunction.permissions);
    cleanup.defer(proxy.stop);
    handlers.set(
      templateFunction.name,
      await loadBundle(templateFunction, assembly.directory, proxy.endpoint),
    );
  }
  return routes.map(({ routeKey, functionName }) => {
    const handler = handlers.get(functionName);
    if (handler === undefined)
      throw new Error(`The route ${routeKey} targets ${functionName}, which is not a function`);
    return { routeKey, functionName, handler };
  });
}

/** Loads a function while the settings in `process.env` are those of the template. */
async function loadBundle(
  { asset, handler, environment }: TemplateFunction,
  folder: string,
  endpoint: string,
): Promise<Handler> {
  const [moduleName = ''] = handler.split('.');
  const file = ['.mjs', '.js']
    .map((end) => join(folder, `asset.${asset}`, moduleName + end))
    .find(existsSync);
  if (file === undefined) throw new Error(`There is no bundle of ${handler} in ${folder}`);
  const before = process.env;
  const others = Object.entries(before).filter(([name]) => !settingNames.includes(name));
  process.env = { ...Object.fromEntries(others), ...environment, DYNAMODB_ENDPOINT: endpoint };
  try {
    return await loadHandler(pathToFileURL(file).href);
  } finally {
    process.env = before;
  }
}

const settingsOfEnvironment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => settingNames.includes(name)));

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
