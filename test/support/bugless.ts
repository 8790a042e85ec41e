import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { DeleteTableCommand, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { beforeAll } from 'vitest';
import { endpointGroupsExcept } from '../../functions/endpoint-groups.ts';
import { startIamProxy } from '../../infra/local/bundled/iam-proxy.ts';
import { createTable } from '../../infra/local/database/database.ts';
import {
  type GatewayOptions,
  type GatewayRoute,
  gatewayResponder,
  startGateway,
} from '../../infra/local/gateway/gateway.ts';
import { LOCAL_CREDENTIALS } from '../../infra/local-credentials.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import type { CatalogueSource } from '../../lib/catalogue/schema.ts';
import { type EndpointGroup, gatewayRouteKeys } from '../../lib/http/routes.ts';
import { readSettings } from '../../lib/settings.ts';
import { openTable, type Table } from '../../lib/table/client.ts';
import type { Item } from '../../lib/table/read.ts';
import { batchWrite } from '../../lib/table/write.ts';
import { afterFile } from './after-file.ts';
import { type CompleteCatalogue, parseCompleteCatalogue } from './complete-catalogue.ts';
import { dynamoDbEndpoint } from './dynamodb-endpoint.ts';
import { expectDocumented } from './openapi-responses.ts';
import { permissionLog } from './permission-log.ts';
import { type RawReply, type SentRequest, sendBytes } from './send-bytes.ts';
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

/** A Bugless in the process of the test: the handlers with a table. */
export interface Bugless {
  /** its address for clients, to which nothing can connect */
  url: string;
  table: Table;
  call(method: string, path: string, options?: CallOptions): Promise<GatewayReply>;
  /** Sends bytes as they are. */
  send: Send;
  /** `fetch` without HTTP, of a path of the service */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Starts the local gateway, for what needs HTTP; it stops after the tests of the file. @returns the same over HTTP */
  listen(): Promise<Bugless>;
  /** Starts an instance that remembers nothing. */
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
  serve(table, settings, async ({ name, permissions }, endpoint) => {
    const proxy = await startIamProxy(endpoint, permissions, permissionLog(name));
    afterFile(() => proxy.stop());
    return proxy.endpoint;
  });

/** The URL of DynamoDB for a group. */
type EndpointOf = (group: EndpointGroup, endpoint: string) => string | Promise<string>;

/** Starts Bugless on an existing table. */
export async function serve(
  table: Table,
  settings: Record<string, string> = {},
  endpointOf: EndpointOf = (_, endpoint) => endpoint,
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
  const options = { routes, ...timeouts };
  const send = senderTo(options);
  const startAnother = () => serve(table, settings, endpointOf);
  const url = URL_IN_PROCESS;
  const bugless = { url, table, send, call: caller(url, send), fetch: fetcher(send), startAnother };
  return { ...bugless, listen: () => listening(bugless, options) };
}

/** Bugless behind the local gateway. */
async function listening(bugless: Omit<Bugless, 'listen'>, options: GatewayOptions): Promise<Bugless> {
  const { url, stop } = await startGateway({ ...options, port: 0 });
  afterFile(stop);
  const overHttp: Bugless = {
    ...bugless,
    url,
    send: (request) => sendBytes(url, request),
    call: caller(url),
    fetch: (path, init) => fetch(url + path, init),
    listen: async () => overHttp,
  };
  return overHttp;
}

/** `startBugless` behind the local gateway. */
export const startService = async (...args: Parameters<typeof startBugless>): Promise<Bugless> =>
  (await startBugless(...args)).listen();

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

/** Where `npm start` listens by default. */
const URL_IN_PROCESS = 'http://127.0.0.1:3000';

type Send = (request: SentRequest) => Promise<RawReply>;

/** Sends requests to handlers in this process, as events of API Gateway. */
function senderTo(options: GatewayOptions): Send {
  const respond = gatewayResponder(options);
  return async ({ method, target, headers: given, body = Buffer.alloc(0) }) => {
    const {
      status,
      headers,
      body: bytes,
    } = await respond({
      method,
      target,
      rawHeaders: Object.entries({ host: new URL(URL_IN_PROCESS).host, ...given }).flat(),
      httpVersion: '1.1',
      sourceIp: '127.0.0.1',
      scheme: 'http',
      body,
    });
    const hasBody = method !== 'HEAD' && status !== 304;
    return {
      status,
      headers: { date: new Date().toUTCString(), ...headers },
      body: hasBody ? bytes : Buffer.alloc(0),
    };
  };
}

/** `fetch` over a function that sends. */
const fetcher = (send: Send) =>
  async function fetchPath(path: string, init: RequestInit = {}): Promise<Response> {
    const target = new URL(URL_IN_PROCESS + path);
    const sent = new Request(target, init);
    const { method } = sent;
    const body = Buffer.from(await sent.arrayBuffer());
    const reply = await send({
      method,
      target: target.pathname + target.search,
      headers: { 'accept-encoding': 'gzip, deflate', ...Object.fromEntries(sent.headers) },
      body,
    });
    const { status } = reply;
    const headers = headersOf(reply);
    const location = headers.get('location');
    if (location !== null && status >= 300 && status < 400 && init.redirect !== 'manual') {
      const next = new URL(location, target);
      const again = body.length === 0 ? {} : { body };
      return fetchPath(next.pathname + next.search, { method, headers: sent.headers, ...again });
    }
    return new Response([204, 304].includes(status) ? null : Buffer.from(decoded(reply)), {
      status,
      headers,
    });
  };

const headersOf = ({ headers }: RawReply): Headers =>
  new Headers(
    Object.entries(headers).flatMap(([name, values = []]) =>
      [values].flat().map((value): [string, string] => [name, value]),
    ),
  );

/** For requests that name an encoding: others get their responses as they are. */
const DECODERS = new Map([
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
]);

function decoded({ headers, body }: RawReply): Buffer {
  const decode = DECODERS.get(String(headers['content-encoding']));
  return decode === undefined || body.length === 0 ? body : decode(body);
}

/**
 * Sends requests, and validates each response against the OpenAPI document.
 *
 * @param send by default over HTTP
 */
export function caller(url: string, send: Send = (request) => sendBytes(url, request)) {
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
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const sent = text === undefined ? undefined : Buffer.from(text);
    const target = new URL(url + path);
    const pathOf = ({ pathname, search }: URL) => pathname + search;
    const first = await send({ method, target: pathOf(target), headers: given, body: sent });
    const location = method === 'GET' && first.status < 400 ? headersOf(first).get('location') : null;
    if (location === null) return checked(method, path, first);
    const next = pathOf(new URL(location, target));
    return checked(method, next, await send({ method, target: next, headers: given, body: undefined }));
  };
}

function checked(method: string, path: string, received: RawReply): GatewayReply {
  const text = decoded(received).toString();
  const body = text === '' ? '' : JSON.parse(text);
  const reply = { status: received.status, headers: headersOf(received), body };
  expectDocumented(method, path, reply);
  return reply;
}
