import { escapeInvisible, escapeLine } from '../../lib/base/text.ts';
import { GROUP_SETTINGS, type GroupSettings } from '../../lib/people/caller.ts';
import { readSettings, type Settings } from '../../lib/settings.ts';
import { openTable, type Table } from '../../lib/table/client.ts';
import { writeFormatOfNewTable } from '../../lib/table/table.ts';
import { LOCAL_CREDENTIALS } from '../local-credentials.ts';
import { findServices } from '../running-service.ts';
import { resourcesOfStack, settingsOfStack } from './stack-table.ts';

/** What a command works with. */
export interface Context {
  table: Table;
  settings: Settings;
  /** CloudFormation's name of the stack of the table; undefined: it was not named */
  stack: string | undefined;
  /** the event bus of the table; undefined: it has none */
  bus: { name: string; endpoint: string | undefined } | undefined;
  /** URLs of the dead-letter queues of the stack; undefined: no stack was named */
  failedQueues: Awaited<ReturnType<typeof resourcesOfStack>>['failedQueues'] | undefined;
  /** print JSON, for programs */
  isJson: boolean;
  /** names, arguments and options of the command, without secrets */
  command: string;
}

/** Options of every command. */
export interface GlobalOptions {
  json?: boolean;
  /** CloudFormation's name of the stack whose table is used */
  stack?: string;
  region?: string;
}

/** No client waits for these commands, and DynamoDB Local takes long for pages of large tables. */
const MIN_REQUEST_TIMEOUT_MS = 10_000;

const NO_TABLE = `No table is named, and no npm start runs in this folder. Use --stack NAME for a deployed stack, start the service in
this folder with npm start, or set DYNAMODB_ENDPOINT, or TABLE_NAME for a table in AWS.`;

/**
 * Opens the table of a stack, or the one that the environment names, or that of the service that runs in this checkout.
 *
 * @param environment receives the region, the table's name and the credentials of DynamoDB Local
 * @param command names, arguments and options of the command, without secrets
 * @throws Error naming each setting that is missing or wrong
 */
export async function openContext(
  environment: NodeJS.ProcessEnv,
  options: GlobalOptions,
  command: string,
): Promise<Context> {
  // The clients of CloudFormation and DynamoDB both read the region there.
  if (options.region !== undefined) environment['AWS_REGION'] = options.region;
  let failedQueues: Context['failedQueues'];
  if (options.stack !== undefined) {
    const { table, bus, ...others } = await resourcesOfStack(options.stack);
    failedQueues = others.failedQueues;
    environment['TABLE_NAME'] = table;
    setBus(environment, bus);
  }
  if (!environment['TABLE_NAME'] && !environment['DYNAMODB_ENDPOINT']) {
    const [service, ...others] = await findServices();
    if (service === undefined) throw new Error(NO_TABLE);
    if (others.length > 0) console.error(severalServices(service.url, others));
    const { endpoint, table, groups } = service;
    Object.assign(environment, { DYNAMODB_ENDPOINT: endpoint, TABLE_NAME: table });
    for (const [name, group] of Object.entries(groups ?? {})) environment[name] ??= group;
    setBus(environment, service.bus && 'local', service.bus);
  }
  const endpoint = environment['DYNAMODB_ENDPOINT'];
  if (endpoint && !environment['AWS_ACCESS_KEY_ID'] && !environment['AWS_PROFILE']) {
    Object.assign(environment, LOCAL_CREDENTIALS);
  }
  const settings = readSettings({
    ...environment,
    ...(endpoint ? { TABLE_NAME: environment['TABLE_NAME'] || 'bugless' } : {}),
  });
  const table = openTable(settings.TABLE_NAME, settings.DYNAMODB_ENDPOINT, {
    retryTimeoutMs: settings.DATABASE_RETRY_TIMEOUT_MS,
    requestTimeoutMs: Math.max(settings.DATABASE_REQUEST_TIMEOUT_MS, MIN_REQUEST_TIMEOUT_MS),
    indexesComments: settings.INDEX_COMMENTS,
  });
  await writeFormatOfNewTable(table);
  const { EVENT_BUS_NAME: name, EVENTS_ENDPOINT: busEndpoint } = environment;
  const bus = name ? { name, endpoint: busEndpoint || undefined } : undefined;
  return { table, settings, stack: options.stack, bus, failedQueues, isJson: options.json ?? false, command };
}

/** Says which of several services of the folder is used, and how to name another one. */
const severalServices = (url: string, others: readonly { url: string; endpoint: string; table: string }[]) =>
  [
    `Several npm start run in this folder. This is the first, ${url}; for another one set:`,
    ...others.map((one) => `  ${one.url}: DYNAMODB_ENDPOINT=${one.endpoint} TABLE_NAME=${one.table}`),
  ].join('\n');

/** The settings of a deployment that decide what an import may do. */
export type DeployedSettings = GroupSettings & Pick<Settings, 'REQUIRE_LOGIN'>;

/**
 * The groups that give rights by a setting, as the deployment names them, and whether it requires login: those of the environment,
 * else those of the functions of the stack.
 *
 * @throws Error when the stack cannot be read
 */
export async function deployedSettings({ settings, stack }: Context): Promise<DeployedSettings> {
  const names = [...GROUP_SETTINGS, 'REQUIRE_LOGIN'] as const;
  const missing = names.filter((name) => process.env[name] === undefined);
  if (stack === undefined || missing.length === 0) return settings;
  const deployed = await settingsOfStack(stack);
  const given = missing.flatMap((name) => {
    const value = deployed[name];
    if (value === undefined) return [];
    return [[name, name === 'REQUIRE_LOGIN' ? value === 'true' : value] as const];
  });
  return { ...settings, ...Object.fromEntries(given) };
}

/**
 * The event bus from which users are mailed about their accounts; undefined: the deployment has no such mails.
 *
 * @throws Error when the stack cannot be read
 */
export async function accountBusOf({ stack, bus, table }: Context): Promise<Context['bus']> {
  if (stack !== undefined) {
    return (await settingsOfStack(stack))['SIGN_IN_BY_MAIL'] === 'true' ? bus : undefined;
  }
  const [service] = await findServices();
  if (service?.accountBus === undefined || service.table !== table.name) return bus;
  return { name: 'local', endpoint: service.accountBus };
}

/** Says which event bus the table has; undefined: none. */
function setBus(environment: NodeJS.ProcessEnv, name: string | undefined, endpoint?: string): void {
  if (name === undefined) return;
  environment['EVENT_BUS_NAME'] = name;
  if (endpoint !== undefined) environment['EVENTS_ENDPOINT'] = endpoint;
}

/** What a command says that needs the events of a table that has none. */
export const NO_BUS = `The table has no event bus. Use --stack NAME of a stack that is deployed with "events": true, or start the service
in this folder with npm start -- --events.`;

/** The table, as changes are written to it that those who follow bugs are told of, or not. @throws UsageError where it has no events */
export function tellingTable({ table, bus }: Pick<Context, 'table' | 'bus'>, isTold: boolean): Table {
  if (isTold && bus === undefined) throw new UsageError(NO_BUS);
  return { ...table, logsEvents: isTold };
}

/** Prints a result as JSON or as lines. */
export function print({ isJson }: Pick<Context, 'isJson'>, result: unknown, lines: string[]): void {
  console.log(isJson ? escapeInvisible(JSON.stringify(result)) : lines.map(escapeLine).join('\n'));
}

/** Collects the values of an option that may be repeated. */
export const repeatable = (value: string, previous: string[]): string[] => [...previous, value];

/** A command was called with a value that does not fit. */
export class UsageError extends Error {
  override name = 'UsageError';
}
