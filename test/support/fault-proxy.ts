import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../../infra/local/listen.ts';
import { formatKey } from '../../lib/table/keys.ts';
import { type Call, type ErrorResponse, TransactionConflicts } from './transaction-conflicts.ts';

export type { Call };

/** The outcome of a call. */
export type Fate =
  /** forwarded to DynamoDB */
  | 'pass'
  /** the connection is closed before or after DynamoDB executes the call */
  | 'close before'
  | 'close after'
  /** no response; DynamoDB does not execute or executes the call */
  | 'hang before'
  | 'hang after'
  /** the second half of a batch remains unprocessed */
  | 'half'
  /** a query or scan returns few items and a LastEvaluatedKey */
  | 'short page'
  /** DynamoDB executes the call twice */
  | 'twice'
  /** forwarded after so many milliseconds, or when something else has ended */
  | { delay: number }
  | { after: Promise<unknown> }
  /** an error response of the proxy */
  | ErrorResponse;

export interface FaultProxy {
  endpoint: string;
  /** all calls so far */
  calls: Call[];
  /** the simulated transaction conflicts */
  conflicts: TransactionConflicts;
  stop(): Promise<void>;
}

/**
 * Throttles reads as DynamoDB does: a call is accepted as long as there are units left, and takes what it consumes. Time is
 * counted in calls, so that the speed of the machine does not matter.
 */
export class ReadLimit {
  readonly #unitsPerCall: number;
  readonly #max: number;
  #left: number;
  readonly throttled: Call[] = [];

  /**
   * @param unitsPerCall that come back with each call, also with a throttled one
   * @param max that can be left
   */
  constructor(unitsPerCall: number, max: number) {
    this.#unitsPerCall = unitsPerCall;
    this.#max = max;
    this.#left = max;
  }

  isReached(call: Call): boolean {
    this.#left = Math.min(this.#max, this.#left + this.#unitsPerCall);
    if (this.#left <= 0) this.throttled.push(call);
    return this.#left <= 0;
  }

  /** @param body of a response, which has the consumed capacity */
  take(body: string): void {
    const { ConsumedCapacity = [] } = JSON.parse(body);
    for (const { CapacityUnits = 0 } of [ConsumedCapacity].flat()) this.#left -= CapacityUnits;
  }
}

const READS = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan']);

export interface FaultProxyOptions {
  /** endpoint of DynamoDB */
  target: string;
  decide?: (call: Call) => Fate;
  /** whether `calls` has the calls, which takes memory */
  isRecording?: boolean;
  /** by which reads are throttled */
  readLimit?: ReadLimit;
  /** the header `Date` of responses; undefined: none. By default that of this machine's clock */
  date?: () => Date | undefined;
}

/**
 * A proxy between the SDK and DynamoDB that injects faults: the decision of `decide` for each call, and transaction
 * conflicts as DynamoDB reports them.
 */
export async function startFaultProxy({
  target,
  decide = () => 'pass',
  isRecording = true,
  readLimit,
  date,
}: FaultProxyOptions): Promise<FaultProxy> {
  const calls: Call[] = [];
  const conflicts = new TransactionConflicts();
  let formatReads = 0;
  const proxy = await startProxy(target, async ({ number, ...received }, response, forward) => {
    if (date !== undefined) {
      response.sendDate = false;
      const given = date();
      if (given !== undefined) response.setHeader('date', given.toUTCString());
    }
    if (isFormatRead(received)) {
      formatReads += 1;
      send(response, await forward(received.body));
      return;
    }
    const call = { ...received, number: number - formatReads };
    if (isRecording) calls.push(call);
    const limit = READS.has(call.operation) ? readLimit : undefined;
    const limited: Forward = async (body) => {
      const reply = await forward(body);
      limit?.take(reply.body);
      return reply;
    };
    const isThrottled = limit?.isReached(call) === true;
    const run = () => execute(isThrottled ? faults.throttling : decide(call), call, response, limited);
    const refuse = (fate: Fate) => execute(fate, call, response, forward);
    await conflicts.guard(call, run, refuse).catch(() => response.destroy());
  });
  return { ...proxy, calls, conflicts };
}

/** It is no call of a request, but of the process, once a minute. */
const isFormatRead = ({ body }: Pick<Call, 'body'>): boolean => body.Key?.pk?.S === formatKey.pk;

/** Executes a call with a body, which may be changed. */
type Forward = (body: object) => Promise<JsonResponse>;

/**
 * A proxy between the SDK and DynamoDB.
 *
 * @param handle responds to each call
 */
export async function startProxy(
  target: string,
  handle: (call: Call, response: ServerResponse, forward: Forward) => Promise<void>,
): Promise<{ endpoint: string; stop(): Promise<void> }> {
  const agent = new Agent({ keepAlive: true });
  let count = 0;
  const server = createServer({ keepAliveTimeout: 60_000 }, async (incoming, response) => {
    const body = Buffer.concat(await incoming.toArray()).toString();
    const operation = String(incoming.headers['x-amz-target']).split('.').at(-1) ?? '';
    count += 1;
    const call = { number: count, operation, body: JSON.parse(body) };
    // DynamoDB is gone when the tests end.
    await handle(call, response, (changed) => forwardCall(incoming, changed, { target, agent })).catch(() =>
      response.destroy(),
    );
  });
  const { url, stop } = await listen(server);
  return {
    endpoint: url,
    async stop() {
      agent.destroy();
      await stop();
    },
  };
}

interface JsonResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

async function execute(
  fate: Fate,
  { body }: Call,
  response: ServerResponse,
  forward: Forward,
): Promise<void> {
  if (typeof fate === 'object' && 'error' in fate) {
    const { status, error, ...fields } = fate;
    const text = JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${error}`, ...fields });
    return send(response, { status, headers: {}, body: text });
  }
  if (fate === 'close before') response.destroy();
  if (fate === 'close before' || fate === 'hang before') return;
  if (typeof fate === 'object') await ('delay' in fate ? sleep(fate.delay) : fate.after);
  const { done, left } = fate === 'half' ? splitBatch(body) : { done: body, left: undefined };
  const reply = await forward(fate === 'short page' ? { Limit: SHORT_PAGE_ITEMS, ...done } : done);
  if (fate === 'twice') await forward(done);
  if (fate === 'close after') response.destroy();
  if (fate === 'close after' || fate === 'hang after') return;
  send(response, left === undefined ? reply : withUnprocessed(reply, left));
}

const SHORT_PAGE_ITEMS = 3;

export function send(response: ServerResponse, { status, body }: JsonResponse): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(body);
}

async function forwardCall(
  { method, headers }: IncomingMessage,
  changed: object,
  { target, agent }: { target: string; agent: Agent },
): Promise<JsonResponse> {
  const body = JSON.stringify(changed);
  const sent = { ...headers, 'content-length': String(Buffer.byteLength(body)) };
  const outgoing = request(target, { method, headers: sent, agent }).end(body);
  const [reply] = await once(outgoing, 'response');
  const text = Buffer.concat(await reply.toArray()).toString();
  return { status: reply.statusCode, headers: reply.headers, body: text };
}

// biome-ignore lint/suspicious/noExplicitAny: batches of reads and of writes have different shapes
type Batch = any;

/** The first half of a batch, and the rest in the format of `UnprocessedKeys` or `UnprocessedItems`. */
function splitBatch(body: Batch): { done: Batch; left: Batch } {
  const [table = '', wanted] = Object.entries<Batch>(body.RequestItems)[0] ?? [];
  const all: Batch[] = Array.isArray(wanted) ? wanted : wanted.Keys;
  const middle = Math.ceil(all.length / 2);
  const part = (some: Batch[]) => ({ [table]: Array.isArray(wanted) ? some : { ...wanted, Keys: some } });
  const rest = all.slice(middle);
  return {
    done: { ...body, RequestItems: part(all.slice(0, middle)) },
    left: rest.length === 0 ? {} : part(rest),
  };
}

function withUnprocessed(reply: JsonResponse, left: Batch): JsonResponse {
  const body = JSON.parse(reply.body);
  const name = 'UnprocessedKeys' in body ? 'UnprocessedKeys' : 'UnprocessedItems';
  return { ...reply, body: JSON.stringify({ ...body, [name]: left }) };
}

const fault = (status: number, error: string, fields: object = {}): Fate => ({
  status,
  error,
  message: error,
  ...fields,
});

/** A cancelled transaction, whose first action has the given cancellation code. */
export function cancelled(code: string, { body }: Call): Fate {
  const reasons = body.TransactItems.map((_: unknown, place: number) =>
    place === 0 ? { Code: code, Message: code } : { Code: 'None' },
  );
  return fault(400, 'TransactionCanceledException', { CancellationReasons: reasons });
}

/** Temporary errors of DynamoDB. */
export const faults = {
  throttling: fault(400, 'ThrottlingException'),
  'exceeded throughput': fault(400, 'ProvisionedThroughputExceededException'),
  'an internal error': fault(500, 'InternalServerError'),
  unavailability: fault(503, 'ServiceUnavailable'),
} satisfies Record<string, Fate>;
