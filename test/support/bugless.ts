import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { DeleteTableCommand, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { beforeAll } from 'vitest';
import { endpointGroupsExcept } from '../../functions/endpoint-groups.ts';
import { startIamProxy } from '../../infra/local/bundled/iam-proxy.ts';
import { createTable } from '../../infra/local/database/create-table.ts';
import { type GatewayRoute, startGateway } from '../../infra/local/gateway/gateway.ts';
import type { Listening } from '../../infra/local/listen.ts';
import { LOCAL_CREDENTIALS } from '../../infra/local-credentials.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import type { CatalogueSource } from '../../lib/catalogue/schema.ts';
import { gatewayRouteKeys } from '../../lib/http/gateway-routes.ts';
import type { EndpointGroup } from '../../lib/http/routes.ts';
import { readSettings } from '../../lib/settings.ts';
import { openTable, type Table } from '../../lib/table/client.ts';
import type { Item } from '../../lib/table/read.ts';
import { batchWrite } from '../../lib/table/write.ts';
import { afterFile } from './after-file.ts';
import { type CompleteCatalogue, parseCompleteCatalogue } from './complete-catalogue.ts';
import { dynamoDbEndpoint } from './dynamodb-endpoint.ts';
import { expectDocumented } from './openapi-responses.ts';
import { allItems } from './table-items.ts';
import type { TransactionConflicts } from './transaction-conflicts.ts';
import { useFaultProxy } from './use-fault-proxy.ts';

/** So that no call fails because the machine is loaded. */
const REQUEST_TIMEOUT_MS = 60_000;

/** The items of applied catalogues by their JSON: copying them is several times faster than applying them again. */
const applied = new Map<string, Promise<Item[]>>();
/** Larger catalogues are used once. */
const MAX_COPIED_CHARACTERS = 1_000_000;

/** Creates a table with the content of a catalogue, by default an empty one. It is deleted after the tests of the file. */
export async function newTable(catalogue?: CatalogueSource): Promise<Table> {
  Object.assign(process.env, LOCAL_CREDENTIALS);
  const table = openTable(`bugless-${randomUUID()}`, dynamoDbEndpoint(), {
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
  });
  await createTable(table);
  afterFile(() => deleteTable(table));
  if (catalogue === undefined) return table;
  const json = JSON.stringify(catalogue);
  const items = applied.get(json);
  if (items !== undefined) {
    await batchWrite(table, await items);
    return table;
  }
  await applyCatalogue(table, catalogue);
  if (json.length > MAX_COPIED_CHARACTERS) return table;
  const written = allItems(table);
  applied.set(json, written);
  // Before the test changes the table.
  await written;
  return table;
}

/** DynamoDB Local takes processor time for each table that it has, also where nothing asks for it. */
async function deleteTable({ client, name }: Table): Promise<void> {
  await client.send(new DeleteTableCommand({ TableName: name })).catch((error: unknown) => {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  });
}

/** The data set behind the recorded exchanges. */
export function referenceCatalogue(): CompleteCatalogue {
  const path = join(import.meta.dirname, '../reference/catalog.json');
  return parseCompleteCatalogue(JSON.parse(readFileSync(path, 'utf8')));
}

/** A running Bugless: the handlers behind the local gateway, with a table. */
export interface Bugless {
  url: string;
  table: Table;
  gateway: Listening;
  call(method: string, path: string, options?: CallOptions): Promise<GatewayReply>;
  /** Starts an instance that remembers nothing; the caller stops its gateway. */
  startAnother(): Promise<Bugless>;
}

export interface CallOptions {
  /** API key, sent as a header */
  key?: string | undefined;
  /** sent as JSON; a string is sent unchanged */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface GatewayReply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: responses have many shapes
  body: any;
}

/** What `start` returns, once the tests of the file or block run. */
export function useStarted<T extends object>(start: () => Promise<T>): T {
  const started = {} as T;
  beforeAll(async () => {
    Object.assign(started, await start());
  });
  return started;
}

/** Starts Bugless with a catalogue and settings; it stops after the tests of the file. */
export async function startBugless(
  catalogue: CatalogueSource = referenceCatalogue(),
  settings: Record<string, string> = {},
): Promise<Bugless> {
  return serve(await newTable(catalogue), settings);
}

/** So that no request is refused because the machine is loaded. */
const RETRY_TIMEOUT_MS = '100000';

/**
 * Starts Bugless on a DynamoDB that reports transaction conflicts, as the real one does.
 *
 * @returns also the simulated conflicts
 */
export async function startBuglessWithConflicts(
  catalogue?: CatalogueSource,
  settings: Record<string, string> = {},
): Promise<Bugless & { conflicts: TransactionConflicts }> {
  const proxy = await useFaultProxy();
  const bugless = await startBugless(catalogue, {
    DATABASE_RETRY_TIMEOUT_MS: RETRY_TIMEOUT_MS,
    ...settings,
    DYNAMODB_ENDPOINT: proxy.endpoint,
  });
  return { ...bugless, conflicts: proxy.conflicts };
}

/**
 * Starts Bugless where each function has only the permissions on the table that it has when it is deployed: without one
 * that it needs, the response is 503 (`not_permitted`).
 */
export async function startBuglessWithPermissions(
  catalogue: CatalogueSource = referenceCatalogue(),
  settings: Record<string, string> = {},
): Promise<Bugless> {
  return serveWithPermissions(await newTable(catalogue), settings);
}

/** The same on an existing table. */
export const serveWithPermissions = (table: Table, settings: Record<string, string>): Promise<Bugless> =>
  serve(table, settings, async ({ permissions }, endpoint) => {
    const proxy = await startIamProxy(endpoint, permissions);
    afterFile(() => proxy.stop());
    return proxy.endpoint;
  });

/** The URL of DynamoDB for a group. */
type EndpointOf = (group: EndpointGroup, endpoint: string) => string | Promise<string>;

/** Starts Bugless on an existing table; it stops after the tests of the file. */
export async function serve(
  table: Table,
  settings: Record<string, string> = {},
  endpointOf: EndpointOf = (_, endpoint) => endpoint,
): Promise<Bugless> {
  const bugless = await startInstance(table, settings, endpointOf);
  afterFile(() => bugless.gateway.stop());
  return bugless;
}

async function startInstance(
  table: Table,
  settings: Record<string, string>,
  endpointOf: EndpointOf,
): Promise<Bugless> {
  const environment = {
    TABLE_NAME: table.name,
    DYNAMODB_ENDPOINT: dynamoDbEndpoint(),
    REQUEST_LOG: 'off',
    DATABASE_REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT_MS),
    ...settings,
  };
  const routes = await loadHandlers(environment, endpointOf);
  const timeouts = { timeoutMs: REQUEST_TIMEOUT_MS * 2, functionTimeoutMs: REQUEST_TIMEOUT_MS * 2 };
  const gateway = await startGateway({ routes, port: 0, ...timeouts });
  const startAnother = () => startInstance(table, settings, endpointOf);
  return { url: gateway.url, table, gateway, call: caller(gateway.url), startAnother };
}

let instances = 0;

/** Imports the handlers with an environment: they read it on import, so each instance imports them again. */
async function loadHandlers(
  environment: Record<string, string> & { DYNAMODB_ENDPOINT: string },
  endpointOf: EndpointOf,
): Promise<GatewayRoute[]> {
  instances += 1;
  const before = Object.fromEntries(Object.keys(environment).map((name) => [name, process.env[name]]));
  Object.assign(process.env, environment);
  const leftOut = readSettings(process.env).LEFT_OUT_GROUPS;
  try {
    const routes: GatewayRoute[] = [];
    for (const group of endpointGroupsExcept(leftOut)) {
      process.env['DYNAMODB_ENDPOINT'] = await endpointOf(group, environment.DYNAMODB_ENDPOINT);
      const index = new URL(`../../functions/${group.name}/index.ts?instance=${instances}`, import.meta.url);
      const { handler } = await import(/* @vite-ignore */ index.href);
      const keys = gatewayRouteKeys(group.routes);
      routes.push(...keys.map((routeKey) => ({ routeKey, functionName: group.name, handler })));
    }
    return routes;
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

/** Connections are kept open: a request takes a third of the processor time that `fetch` takes. */
const agent = new Agent({ keepAlive: true });

/** A response as it was received. */
interface Received {
  status: number;
  headers: Headers;
  text: string;
}

async function send(
  method: string,
  target: URL,
  headers: Record<string, string>,
  body?: string,
): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const outgoing = request(target, { method, headers: { ...headers, ...length }, agent }, resolve);
  outgoing.on('error', reject).end(body);
  const incoming = await promise;
  const bytes = await buffer(incoming);
  const decode = DECODERS.get(incoming.headers['content-encoding'] ?? '');
  return {
    status: incoming.statusCode ?? 0,
    headers: new Headers(Object.entries(incoming.headersDistinct).flatMap(eachOf)),
    text: (decode === undefined || bytes.length === 0 ? bytes : decode(bytes)).toString(),
  };
}

/** For requests that name an encoding: others get their responses as they are. */
const DECODERS = new Map([
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
]);

const eachOf = ([name, values = []]: [string, string[] | undefined]) =>
  values.map((value): [string, string] => [name, value]);

/** Sends requests, and validates each response against the OpenAPI document. */
export function caller(url: string) {
  return async (
    method: string,
    path: string,
    { key, body, headers = {} }: CallOptions = {},
  ): Promise<GatewayReply> => {
    const given = {
      ...(key === undefined ? {} : { 'x-bugzilla-api-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const target = new URL(url + path);
    const first = await send(method, target, given, sent);
    const location = method === 'GET' && first.status < 400 ? first.headers.get('location') : null;
    if (location === null) return checked(method, path, first);
    const next = new URL(location, target);
    return checked(method, next.pathname + next.search, await send(method, next, given));
  };
}

function checked(method: string, path: string, { status, headers, text }: Received): GatewayReply {
  const reply = { status, headers, body: text === '' ? '' : JSON.parse(text) };
  expectDocumented(method, path, reply);
  return reply;
}
