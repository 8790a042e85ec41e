import { AsyncLocalStorage } from 'node:async_hooks';
import type { ConsumedCapacity, VectorCapacity } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, type ServiceInputTypes } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { errors } from '../errors.ts';
import {
  BATCH_UNITS,
  currentCapacity,
  KEY_UNITS,
  PAGE_UNITS,
  reservedAttempt,
  trackCapacity,
  withConsumption,
} from './consumption.ts';
import { type CallTimes, documentClient } from './document-client.ts';
import { parseFormat, type TableFormat, tableFormat } from './format.ts';
import { formatKey } from './keys.ts';
import { pacer } from './pacer.ts';
import {
  DEFAULT_REQUEST_TIMEOUT_MS,
  DEFAULT_RETRY_TIMEOUT_MS,
  deadline,
  RetriesExhausted,
  retryUnavailable,
} from './retry.ts';

/** The table and its client. */
export interface Table {
  name: string;
  client: DynamoDBDocumentClient;
  /** the time by which the table is read and written: see tableClock */
  now: () => Date;
  /** retry budget in milliseconds */
  retryTimeoutMs: number;
  /** milliseconds that one attempt of a call takes at most */
  requestTimeoutMs: number;
  /** whether it has the words of comments for searches: every way in writes them, or none does */
  indexesComments: boolean;
  /** whether the change log has what each change did, for those who read the stream of the table */
  logsEvents: boolean;
  /** which is looked at before each call */
  format: TableFormat;
  /** for what is written before a transaction */
  writeBudget: ReturnType<typeof writeBudget>;
}

const MAX_CALL_ATTEMPTS = 4;

export interface TableOptions {
  /** retry budget of a request, in milliseconds */
  retryTimeoutMs?: number;
  /** milliseconds of one attempt of a call, also of its connection */
  requestTimeoutMs?: number;
  indexesComments?: boolean;
  logsEvents?: boolean;
  /** write units a second that may be written before transactions */
  writeUnitsPerSecond?: number;
  /** called with a message where this machine's clock is found to be off, or IAM denies the checks of transactions */
  onWarning?: (message: string) => void;
}

/**
 * Opens the table. The first call connects.
 *
 * @param name of the table
 * @param endpoint URL of DynamoDB; absent: AWS
 */
export function openTable(
  name: string,
  endpoint?: string,
  {
    retryTimeoutMs = DEFAULT_RETRY_TIMEOUT_MS,
    requestTimeoutMs = DEFAULT_REQUEST_TIMEOUT_MS,
    indexesComments = true,
    logsEvents = false,
    writeUnitsPerSecond = Number.POSITIVE_INFINITY,
    onWarning,
  }: TableOptions = {},
): Table {
  const clock = tableClock(onWarning);
  const client = documentClient({
    endpoint,
    maxAttempts: MAX_CALL_ATTEMPTS,
    requestTimeoutMs,
    onResponse: clock.note,
  });
  measureCapacity(client);
  reserveCapacity(client);
  enforceDeadline(client);
  const format = tableFormat(() => readFormat(client, name, retryTimeoutMs));
  requireFormat(client, format, clock);
  return {
    name,
    client,
    format,
    now: clock.now,
    retryTimeoutMs,
    requestTimeoutMs,
    indexesComments,
    logsEvents,
    writeBudget: writeBudget(writeUnitsPerSecond, retryTimeoutMs),
  };
}

/** Whether a call is the one that reads the format. */
const readingFormat = new AsyncLocalStorage<true>();

/** Reads the format of the table. It is no call of the request that happens to be the first one. */
async function readFormat(client: DynamoDBDocumentClient, table: string, timeoutMs: number) {
  const get = new GetCommand({ TableName: table, Key: formatKey, ConsistentRead: true });
  const { Item } = await readingFormat.run(true, () =>
    withConsumption(() => retryUnavailable(timeoutMs, () => client.send(get))),
  );
  return Item === undefined ? undefined : parseFormat(Item);
}

/**
 * Refuses calls where the table has a format that is too new for this version, and writes where this machine's clock is off:
 * from any caller.
 */
function requireFormat(
  client: DynamoDBDocumentClient,
  format: TableFormat,
  clock: ReturnType<typeof tableClock>,
): void {
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        if (readingFormat.getStore() === undefined) {
          if (READS.has(commandName)) await format.require('read');
          else if (WRITES.has(commandName)) {
            // It also brings the first response with a time.
            await format.require('write');
            clock.requireRight();
          }
        }
        return next(args);
      },
    { step: 'initialize', priority: 'high', name: 'requireFormat' },
  );
}

/** An error of the SDK says how often a call was tried; others do not. */
const failedOutput = z.object({
  code: z.catch(z.optional(z.string()), undefined),
  $metadata: z.catch(
    z.optional(z.object({ attempts: z.optional(z.int()), httpStatusCode: z.optional(z.int()) })),
    undefined,
  ),
});

/** Codes of connections that were never made. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Whether an error of an attempt says that DynamoDB did not execute it. */
function tookNothing(error: unknown): boolean {
  const { $metadata, code } = failedOutput.parse(error);
  return $metadata?.httpStatusCode !== undefined || NOT_CONNECTED.has(code ?? '');
}

const READS = new Set(['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand', 'ScanCommand']);
const WRITES = new Set([
  'PutItemCommand',
  'UpdateItemCommand',
  'DeleteItemCommand',
  'BatchWriteItemCommand',
  'TransactWriteItemsCommand',
]);

/** Requests the consumed capacity of every call, and adds it to that of the request. */
function measureCapacity(client: DynamoDBDocumentClient): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const input = { ...args.input, ReturnConsumedCapacity: 'TOTAL' };
      const result = await next({ ...args, input }).catch((error: unknown) => {
        const { $metadata } = failedOutput.parse(error);
        trackCapacity({ calls: 1, retries: ($metadata?.attempts ?? 1) - 1 });
        throw error;
      });
      const { output } = result;
      const units = unitsOf('ConsumedCapacity' in output ? output.ConsumedCapacity : undefined);
      const isRead = READS.has(context.commandName ?? '');
      trackCapacity({
        calls: 1,
        retries: (output.$metadata.attempts ?? 1) - 1,
        ...(isRead ? { readUnits: units } : { writeUnits: units }),
      });
      return result;
    },
    { step: 'initialize', name: 'measureCapacity' },
  );
}

/** Operations on several items report a capacity for each table. */
function unitsOf(consumed: ConsumedCapacity | ConsumedCapacity[] | VectorCapacity | undefined): number {
  if (Array.isArray(consumed)) return consumed.reduce((sum, one) => sum + unitsOf(one), 0);
  return consumed !== undefined && 'CapacityUnits' in consumed ? (consumed.CapacityUnits ?? 0) : 0;
}

/** The read units that a call may take, about. */
function estimatedUnits(input: ServiceInputTypes): number {
  if ('RequestItems' in input) return BATCH_UNITS;
  if ('Key' in input) return KEY_UNITS;
  return 'Limit' in input ? Math.min(input.Limit ?? PAGE_UNITS, PAGE_UNITS) : PAGE_UNITS;
}

/** Reserves what each attempt of a reading call may take of what its request may read, and settles it by what it took. */
function reserveCapacity(client: DynamoDBDocumentClient): void {
  client.middlewareStack.add(
    (next, { commandName = '' }) => {
      if (!READS.has(commandName)) return next;
      return (args) =>
        reservedAttempt(
          estimatedUnits(args.input),
          async () => {
            const result = await next(args);
            const { output } = result;
            return {
              result,
              units: unitsOf('ConsumedCapacity' in output ? output.ConsumedCapacity : undefined),
            };
          },
          tookNothing,
        );
    },
    { step: 'finalizeRequest', priority: 'low', name: 'reserveCapacity' },
  );
}

/** Stops the SDK's retries after the deadline. All attempts of a call have the same `args`. */
function enforceDeadline(client: DynamoDBDocumentClient): void {
  const failures = new WeakMap<object, unknown>();
  client.middlewareStack.add(
    (next) => async (args) => {
      if (failures.has(args) && Date.now() > deadline()) {
        throw new RetriesExhausted('A call failed until the deadline', { cause: failures.get(args) });
      }
      try {
        return await next(args);
      } catch (error) {
        failures.set(args, error);
        throw error;
      }
    },
    { step: 'finalizeRequest', priority: 'low', name: 'enforceDeadline' },
  );
}

/** Share of a request's time that writing in advance may take; the rest is for retries and the transaction. */
const MAX_SHARE_OF_TIME = 0.75;

/**
 * What requests write before their transaction: data of attachments, words of comments. It is bounded before anything is
 * written, and paced, so that others can write beside it.
 *
 * @param unitsPerSecond write capacity that it may take
 * @param timeoutMs time of a request
 */
function writeBudget(unitsPerSecond: number, timeoutMs: number) {
  const pace = pacer(unitsPerSecond);
  const unitsIn = (ms: number) => Math.floor((MAX_SHARE_OF_TIME * ms * unitsPerSecond) / 1_000);
  return {
    /** Units that one request may write. */
    max: unitsIn(timeoutMs),

    /** To be called before the first `take`. @throws RetriesExhausted when there is not the time left for so many units */
    requireTime(units: number): void {
      if (units > unitsIn(deadline() - Date.now())) {
        throw new RetriesExhausted(`${units} units cannot be written before the deadline`);
      }
    },

    /** Waits until units are available. @throws RetriesExhausted when that is not before the deadline */
    take: (units: number): Promise<number> => pace.take(units),
  };
}

/** How far this machine's clock may be off. DynamoDB's responses have whole seconds. */
const MAX_SKEW_MS = 10_000;

/**
 * Compares this machine's clock with the header `Date` of DynamoDB's responses. A search finds what was written by the time of
 * writing, so a clock that is minutes ahead or behind would hide bugs from all searches.
 *
 * @param onSkew called with a message where the clock is found to be off, after it was not
 */
export function tableClock(onSkew: (message: string) => void = () => undefined) {
  let aheadMs = 0;

  return {
    /**
     * Notes a response; the latest one decides. A slow call is no skew: DynamoDB's time lies between those of the call. A
     * response without a time says nothing.
     */
    note(date: string | undefined, { sentAt, readAt }: CallTimes): void {
      const at = Date.parse(date ?? '');
      if (Number.isNaN(at)) return;
      const wasOff = aheadMs !== 0;
      aheadMs = skewOf(at, sentAt, readAt);
      if (aheadMs !== 0 && !wasOff) onSkew(skewText(aheadMs));
    },

    /**
     * The time by this machine's clock; by DynamoDB's, as far as it is known, where this machine's is off. So that a search
     * finds what others write.
     */
    now: (): Date => new Date(Date.now() - aheadMs),

    /**
     * Makes sure that a write gets the right time. What a request has written stands, so its further writes are not refused:
     * after an error the client would write it twice.
     *
     * @throws BugzillaError 503 where the clock is off
     */
    requireRight(): void {
      const { writeUnits = 0 } = currentCapacity() ?? {};
      if (aheadMs !== 0 && writeUnits === 0) throw errors.clockOff(skewText(aheadMs));
    },
  };
}

/** The milliseconds that this machine's clock is ahead, at least. */
function skewOf(at: number, sentAt: number, readAt: number): number {
  if (at < sentAt - MAX_SKEW_MS) return sentAt - at;
  return at > readAt + MAX_SKEW_MS ? readAt - at : 0;
}

function skewText(aheadMs: number): string {
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  const minutes = Math.floor(seconds / 60);
  const length = minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds % 60} s`;
  return `This machine's clock is ${length} ${aheadMs > 0 ? 'ahead of' : 'behind'} DynamoDB's: set it`;
}
