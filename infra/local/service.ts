import { createServer } from 'node:http';
import { escapeLine } from '../../lib/base/text.ts';
import { listedWebhooksOf } from '../../lib/changes/events/webhook-list.ts';
import { GROUP_SETTINGS } from '../../lib/people/caller.ts';
import { readSettings } from '../../lib/settings.ts';
import { announceService } from '../running-service.ts';
import { chooseDatabase, type Database, openDatabase } from './database/database.ts';
import { embeddedBinary } from './database/embedded.ts';
import { type KeyHolder, keyHolders, loadData, readData } from './demo-data.ts';
import { startEvents } from './events/events.ts';
import { type GatewayRoute, startGateway } from './gateway/gateway.ts';
import { listen } from './listen.ts';
import type { Options } from './options.ts';
import { printFailure } from './print-failure.ts';
import { loadSources } from './sources.ts';

/** The running service. */
export interface Service {
  url: string;
  /** the message to print */
  welcome: string;
}

/**
 * Starts the service on this machine: DynamoDB, table, data, gateway.
 *
 * @param cleanup receives the functions that stop what was started, also when starting fails
 * @param fail receives why it cannot go on, at any time
 * @throws Error with the cause and the remedy
 */
export async function startService(
  options: Options,
  cleanup: AsyncDisposableStack,
  fail: (reason: string) => void,
): Promise<Service> {
  process.env['REQUEST_LOG'] ||= options.quiet ? 'off' : 'readable';
  checkSettings();
  await assertPortFree(options.port);
  const catalogue = await readData(options);
  const report = (line: string) => {
    if (!options.quiet) console.log(line);
  };
  const choice = chooseDatabase(
    options.database,
    process.env['DYNAMODB_ENDPOINT'],
    embeddedBinary() !== undefined,
  );
  const database = await openDatabase(choice, options.memory ?? false, cleanup, report, fail);
  if (catalogue !== undefined) await loadData(database, catalogue, options, report);
  const events = await openEvents(options, database, cleanup, report);
  const url = await serve(options, database, cleanup);
  await events?.start(url);
  const { endpoint, table } = database;
  const settings = readSettings({ ...process.env, TABLE_NAME: table.name });
  const groups = {
    ...Object.fromEntries(GROUP_SETTINGS.map((name) => [name, settings[name]])),
    REQUIRE_LOGIN: String(settings.REQUIRE_LOGIN),
  };
  const bus = events?.isOn ? events.bus : undefined;
  const announced = { url, endpoint, table: table.name, bus, accountBus: events?.bus, groups };
  const unannounced = await announceService(announced, cleanup);
  if (unannounced !== undefined) report(unannounced);
  const holders = catalogue === undefined ? [] : await keyHolders(database, catalogue);
  return { url, welcome: welcome(url, holders) };
}

/** Starts the events, before the handlers are loaded: they read there whether to log what they change. */
async function openEvents(
  options: Options,
  database: Database,
  cleanup: AsyncDisposableStack,
  report: (line: string) => void,
): Promise<Awaited<ReturnType<typeof startEvents>> | undefined> {
  // The stage's file decides about bundles.
  if (options.bundled) return undefined;
  const events = await startEvents(database, options, cleanup, report);
  process.env['SIGN_IN_BY_MAIL'] ??= 'true';
  const WEBHOOKS = JSON.stringify(listedWebhooksOf(events.isOn ? events.webhooks : []));
  Object.assign(process.env, events.environment, { EVENTS: String(events.isOn), WEBHOOKS });
  return events;
}

/** Reports invalid settings before anything slow is started. */
function checkSettings(): void {
  readSettings({ ...process.env, TABLE_NAME: 'any' });
}

/** Starts the gateway. @returns its URL */
async function serve(options: Options, database: Database, cleanup: AsyncDisposableStack): Promise<string> {
  const { port, bundled } = options;
  if (bundled !== true) {
    Object.assign(process.env, { TABLE_NAME: database.table.name, DYNAMODB_ENDPOINT: database.endpoint });
  }
  const gateway = await startGateway({
    routes: await loadRoutes(options, database, cleanup),
    port,
    onFailure: printFailure,
  });
  cleanup.defer(gateway.stop);
  return gateway.url;
}

async function loadRoutes(
  { bundled }: Options,
  { table, endpoint }: Database,
  cleanup: AsyncDisposableStack,
): Promise<GatewayRoute[]> {
  if (bundled) {
    // Loaded here, because esbuild is needed for nothing else.
    const { loadBundles } = await import('./bundled/bundles.ts');
    return loadBundles(table.name, endpoint, cleanup);
  }
  return loadSources();
}

/**
 * Checks that the port is free, before anything slow is started.
 *
 * @param port 0: a free port
 * @throws Error with code EADDRINUSE when it is in use
 */
async function assertPortFree(port: number): Promise<void> {
  const { stop } = await listen(createServer(), port);
  await stop();
}

/**
 * The message after the start: URL, API keys and example calls.
 *
 * @param holders users with valid API keys; when empty, the examples need no key
 */
function welcome(url: string, holders: readonly KeyHolder[]): string {
  const lines = ['', `Bugless runs on ${url} (the API explorer on ${url}/api)`];
  if (holders.length > 0) {
    const width = Math.max(...holders.map(({ key }) => key.length));
    lines.push(
      '',
      'API keys:',
      ...holders.map(({ login, key, groups }) =>
        `  ${key.padEnd(width)}  ${login}${groups.length > 0 ? ` (${groups.join(', ')})` : ''}`.trimEnd(),
      ),
    );
  }
  lines.push('', 'Administration, while it runs:', '  npm run admin -- user list');
  lines.push('', 'Try:', ...examples(url, holders).map((line) => `  ${line}`), '');
  // Logins, groups and keys are those of a catalogue.
  return lines.map(escapeLine).join('\n');
}

function examples(url: string, holders: readonly KeyHolder[]): string[] {
  const anonymous = [`curl ${url}/rest/version`, `curl '${url}/rest/product?type=accessible'`];
  const [privileged] = holders.toSorted((a, b) => b.groups.length - a.groups.length);
  if (privileged === undefined) return anonymous;
  const product = JSON.stringify({ name: 'Rocket', description: 'To the moon', version: '1.0' });
  return [
    ...anonymous,
    `curl -H 'X-BUGZILLA-API-KEY: ${privileged.key}' '${url}/rest/product?type=accessible&include_fields=id,name'`,
    `curl -H 'X-BUGZILLA-API-KEY: ${privileged.key}' -H 'Content-Type: application/json' \\`,
    `     -d '${product}' ${url}/rest/product`,
  ];
}
