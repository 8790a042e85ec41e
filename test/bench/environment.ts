import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Context } from 'aws-lambda';
import { endpointGroups } from '../../functions/endpoint-groups.ts';
import { createTable } from '../../infra/local/database/database.ts';
import { startDynamoDbLocal } from '../../infra/local/database/dynamodb-local.ts';
import { eventOf, readTarget } from '../../infra/local/gateway/event.ts';
import { routeChooser } from '../../infra/local/gateway/gateway.ts';
import { type Handler, lambdaContext } from '../../infra/local/gateway/lambda.ts';
import { LOCAL_CREDENTIALS } from '../../infra/local-credentials.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { readCatalogueFile } from '../../lib/catalogue/read.ts';
import type { CatalogueSource } from '../../lib/catalogue/schema.ts';
import { routeKey } from '../../lib/http/routes.ts';
import { openTable, type Table } from '../../lib/table/client.ts';
import { costOf } from './capacity.ts';
import { type Meter, startMeter } from './meter.ts';

export const ADMIN = 'AdminKey00000000000000000000000000000000';
export const USER = 'UserKey000000000000000000000000000000000';

/** A table in DynamoDB Local, without and with the meter before it. */
export interface Ground {
  table: Table;
  endpoint: string;
  meter: Meter;
  stop(): Promise<void>;
}

/** Starts DynamoDB Local in memory with a table of a catalogue, by default the reference catalogue. */
export async function openGround(catalogue?: CatalogueSource): Promise<Ground> {
  Object.assign(process.env, LOCAL_CREDENTIALS);
  const { endpoint, stop } = await startDynamoDbLocal();
  const table = openTable('bugless', endpoint);
  await createTable(table);
  await applyCatalogue(table, catalogue ?? (await readCatalogueFile(REFERENCE)));
  const meter = await startMeter(endpoint);
  return { table, endpoint, meter, stop: () => meter.stop().then(stop) };
}

/**
 * Opens handlers, and returns what measures a request: calls and capacity through the meter, then CPU and time in
 * milliseconds of some rounds without it.
 */
export async function openMeasuring({ table, endpoint, meter }: Ground) {
  const metered = await openHandlers(table.name, meter.endpoint);
  const direct = await openHandlers(table.name, endpoint);
  return async (request: BenchRequest, rounds = 1) => {
    meter.take();
    const result = await metered.invoke(request);
    const cost = costOf(meter.take(), Buffer.byteLength(result.body));
    const before = process.cpuUsage();
    const started = performance.now();
    for (let round = 0; round < rounds; round += 1) await direct.invoke(request);
    const { user, system } = process.cpuUsage(before);
    return {
      result,
      cost,
      cpu: (user + system) / 1_000 / rounds,
      ms: (performance.now() - started) / rounds,
    };
  };
}

const REFERENCE = join(import.meta.dirname, '../reference/catalog.json');

/** The result of a handler. */
export interface Result {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
  isBase64Encoded: boolean;
}

export interface BenchRequest {
  method: string;
  target: string;
  key?: string | undefined;
  body?: object | undefined;
  headers?: Record<string, string>;
}

/** Makes a request, whose body may depend on how often it was made. */
export const get = (target: string) => (): BenchRequest => ({ method: 'GET', target });
const sending =
  (method: string) =>
  (target: string, body: (n: number) => object) =>
  (n: number): BenchRequest => ({ method, target, body: body(n) });
export const post = sending('POST');
export const put = sending('PUT');

/** A handler with what Lambda gives it. */
export interface Invocation {
  handler: Handler;
  event: unknown;
  context: Context;
}

export type Invoke = (request: BenchRequest) => Promise<Result>;

let instances = 0;

export const PROJECT = join(import.meta.dirname, '../..');

/** The endpoint groups that a checkout has: that of another version may have fewer. */
export const groupsOf = (project: string): typeof endpointGroups =>
  endpointGroups.filter(({ name }) => existsSync(join(project, 'functions', name, 'index.ts')));

/**
 * Imports the handlers from the sources and invokes them with Lambda events, without HTTP. They log nothing, unless
 * `REQUEST_LOG` is set.
 *
 * @param project folder of the checkout that has the sources
 */
export async function openHandlers(
  tableName: string,
  endpoint: string,
  project = PROJECT,
): Promise<{
  invoke: Invoke;
  invocationOf(request: BenchRequest): Invocation;
}> {
  Object.assign(process.env, { TABLE_NAME: tableName, DYNAMODB_ENDPOINT: endpoint });
  process.env['REQUEST_LOG'] ||= 'off';
  instances += 1;
  const routes: { routeKey: string; handler: Handler }[] = [];
  for (const { name: group, routes: declared } of groupsOf(project)) {
    const index = pathToFileURL(join(project, 'functions', group, 'index.ts'));
    const { handler }: { handler: Handler } = await import(`${index.href}?instance=${instances}`);
    routes.push(...declared.map((route) => ({ routeKey: routeKey(route), handler })));
  }
  const choose = routeChooser(routes);
  const invocationOf = ({ method, target, key, body, headers = {} }: BenchRequest) => {
    const chosen = choose(method, readTarget(target).rawPath);
    if (chosen === undefined) throw new Error(`No route for ${method} ${target}`);
    const all = {
      host: 'localhost',
      ...(key === undefined ? {} : { 'x-bugzilla-api-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const event = eventOf(
      {
        method,
        target,
        rawHeaders: Object.entries(all).flat(),
        httpVersion: '1.1',
        sourceIp: '127.0.0.1',
        body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
      },
      { routeKey: chosen.route.routeKey, pathParameters: chosen.pathParameters },
      new Date(),
    );
    return { handler: chosen.route.handler, event, context: lambdaContext('bench') };
  };
  return {
    invocationOf,
    invoke: async (request) => {
      const { handler, event, context } = invocationOf(request);
      return (await handler(event, context)) as Result;
    },
  };
}

/** Percentiles of times in milliseconds. */
export function percentiles(times: readonly number[]) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) =>
    Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(2));
  return { median: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}
