import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { createTable } from '../../infra/local/database/database.ts';
import { startDynamoDbLocal } from '../../infra/local/database/dynamodb-local.ts';
import { startEmbedded } from '../../infra/local/database/embedded.ts';
import { LOCAL_CREDENTIALS } from '../../infra/local-credentials.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { openTable } from '../../lib/table/client.ts';
import { percentiles } from '../bench/environment.ts';
import { printTable, rounded } from '../bench/print.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { violationsOf } from '../support/integrity.ts';
import { allItems } from '../support/table-items.ts';
import { databaseOfTests } from '../support/test-database.ts';
import { newTracker, newUsers } from '../support/workload/tracker.ts';
import { problemsOf } from '../support/workload/verify.ts';
import { type Call, Workload } from '../support/workload/workload.ts';
import { startService } from './service.ts';

/** Shares of the connections. The ramp ends with all of them, whose memory must not count as growth afterwards. */
const RAMP = [1 / 8, 1 / 4, 1 / 2, 1];
const RAMP_SHARE = 0.4;
const MB = 1_000_000;
/** For caches and compiled code; in ten minutes at 200 requests/s this is 50 bytes per request. */
const MAX_HEAP_GROWTH = 6 * MB;
/** With fewer requests, first executions of code take more memory than a leak. */
const MIN_REQUESTS = 2_000;

/** Of the command line. */
export type Options = Record<'seconds' | 'connections' | 'bugs' | 'seed', number>;

/** Milliseconds of requests, by operation. */
type Latencies = Map<string, number[]>;

/**
 * Load test: starts the service on a tracker in memory and a database that reports transaction conflicts as DynamoDB
 * does, runs the operations of more and more virtual users, then of all of them for most of the time, prints latencies,
 * and verifies that all acknowledged writes are stored.
 *
 * @param cleanup stops the started processes
 * @returns problems
 */
export async function load(
  { seconds, connections, bugs, seed }: Options,
  cleanup: AsyncDisposableStack,
): Promise<string[]> {
  Object.assign(process.env, LOCAL_CREDENTIALS);
  const folder = await mkdtemp(join(tmpdir(), 'bugless-load-'));
  cleanup.defer(() => rm(folder, { recursive: true }));
  const endpoint = await databaseEndpoint(cleanup);
  const table = openTable(`bugless-${randomUUID()}`, endpoint);
  await createTable(table);
  cleanup.defer(
    async () => void (await table.client.send(new DeleteTableCommand({ TableName: table.name }))),
  );
  const users = newUsers(connections);
  await applyCatalogue(table, newTracker(users, bugs));
  const proxy = await startFaultProxy({ target: endpoint, isRecording: false });
  cleanup.defer(() => proxy.stop());
  const service = await startService(table.name, proxy.endpoint, folder, cleanup);

  const latencies: Latencies = new Map();
  const workload = new Workload(timedCall(service.url, latencies), users, bugs, seed);
  /** @returns the number of requests */
  const run = async (kind: string, active: number, duration: number) => {
    const end = performance.now() + duration * 1_000;
    await workload.run(active, () => performance.now() < end && service.failure() === undefined);
    const requests = latencies.get('all')?.length ?? 0;
    printTable(
      `${kind}: ${active} connections for ${Math.round(duration)} s, ${Math.round(requests / duration)} requests/s (milliseconds:)`,
      [...latencies].map(([operation, times]) => ({
        operation,
        requests: times.length,
        ...percentiles(times),
      })),
    );
    latencies.clear();
    return requests;
  };
  for (const share of RAMP) {
    await run('ramp', Math.max(1, Math.round(share * connections)), (seconds * RAMP_SHARE) / RAMP.length);
  }
  const heap = await service.heap();
  const requests = await run('steady', connections, seconds * (1 - RAMP_SHARE));
  const failure = service.failure();
  if (failure !== undefined) return [`The service has ended: ${failure}`];

  const growth = (await service.heap()) - heap;
  const { ledger } = workload;
  const unavailable = ledger.statuses.get(503) ?? 0;
  console.log(
    `\n${ledger.written.length} writes, ${proxy.conflicts.count} transaction conflicts, seed ${seed}, heap of ${rounded(heap / MB, 1)} MB grew by ${rounded(growth / MB, 1)} MB`,
  );
  return [
    ...(requests < MIN_REQUESTS || growth < MAX_HEAP_GROWTH ? [] : ['The heap has grown']),
    ...ledger.violations,
    ...(unavailable > 0 ? [`${unavailable} responses with 503`] : []),
    ...problemsOf(ledger, await allItems(table)),
    // Notes are no violations: a bug that is refused because its product was closed meanwhile leaves words.
    ...(await violationsOf(table)),
  ];
}

/** That of `DYNAMODB_ENDPOINT`; without it a database is started. */
async function databaseEndpoint(cleanup: AsyncDisposableStack): Promise<string> {
  const given = process.env['DYNAMODB_ENDPOINT'];
  if (given !== undefined) return given;
  const start = databaseOfTests('dynamodb-local') === 'embedded' ? startEmbedded : startDynamoDbLocal;
  return (await start(undefined, cleanup)).endpoint;
}

const timedCall =
  (url: string, latencies: Latencies): Call =>
  async (method, path, { key = '', body, headers = {} } = {}) => {
    const start = performance.now();
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'x-bugzilla-api-key': key, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    for (const name of ['all', `${method} ${path.replace(/\?.*/, '').replaceAll(/\d+/g, 'N')}`]) {
      const times = latencies.get(name) ?? [];
      times.push(performance.now() - start);
      latencies.set(name, times);
    }
    return { status: response.status, headers: response.headers, body: JSON.parse(text) };
  };
