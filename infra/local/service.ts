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
import { startGateway } from './gateway/gateway.ts';
import { listen } from './listen.ts';
import type { Options } from './options.ts';
import { printFailure } from './print-failure.ts';
import { loadSources } from './sources.ts';

/**
 * Starts the service on this machine: DynamoDB, table, data, gateway.
 *
 * @param cleanup receives the functions that stop what was started, also when starting fails
 * @param fail receives why it cannot go on, at any time
 * @returns its URL, and the message to print
 * @throws Error with the cause and the remedy; with code EADDRINUSE when the port is in use
 */
export async function startService(
  options: Options,
  cleanup: AsyncDisposableStack,
  fail: (reason: string) => void,
): Promise<{ url: string; welcome: string }> {
  process.env['REQUEST_LOG'] ||= options.quiet ? 'off' : 'readable';
  // Invalid settings, and a port that is in use, are errors before anything slow is started.
  readSettings({ ...process.env, TABLE_NAME: 'any' });
  await (await listen(createServer(), options.port)).stop();
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

/** Starts the gateway. @returns its URL */
async function serve(
  { port, bundled }: Options,
  { table, endpoint }: Database,
  cleanup: AsyncDisposableStack,
): Promise<string> {
  if (!bundled) Object.assign(process.env, { TABLE_NAME: table.name, DYNAMODB_ENDPOINT: endpoint });
  const routes = bundled
    ? // Loaded here, because esbuild is needed for nothing else.
      await (await import('./bundled/bundles.ts')).loadBundles(table.name, endpoint, cleanup)
    : await loadSources();
  const gateway = await startGateway({ routes, port, onFailure: printFailure });
  cleanup.defer(gateway.stop);
  return gateway.url;
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
