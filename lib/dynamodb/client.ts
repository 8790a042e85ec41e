import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { trackCapacity } from './capacity.ts';
import { deadline } from './deadline.ts';
import { DEFAULT_RETRY_TIMEOUT_MS, RetriesExhausted } from './retry.ts';

/** The table as the stores use it. */
export interface Table {
  name: string;
  client: DynamoDBDocumentClient;
  /** for how many milliseconds what fails is tried again */
  retryTimeoutMs: number;
}

const MAX_ATTEMPTS = 4;

/**
 * How long DynamoDB may take to respond to one attempt. Its largest responses need a fraction of that: on DynamoDB
 * Local and a busy machine, a query page of 1 MB took 0.2 s at most, a batch of 15 MB 0.4 s, a transaction of 4 MB
 * 0.2 s, and eight query pages of 1 MB at once 0.9 s.
 */
const MAX_REQUEST_TIMEOUT_MS = 2_000;

/**
 * Opens the table. The connection begins with the first call.
 *
 * @param name of the table
 * @param endpoint URL of DynamoDB; absent: AWS
 * @param patience for how many milliseconds what fails is tried again
 */
export function openTable(name: string, endpoint?: string, retryTimeoutMs = DEFAULT_RETRY_TIMEOUT_MS): Table {
  const requestTimeout = Math.min(MAX_REQUEST_TIMEOUT_MS, retryTimeoutMs / MAX_ATTEMPTS);
  const client = new DynamoDBClient({
    ...(endpoint === undefined ? {} : { endpoint }),
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: { connectionTimeout: requestTimeout, requestTimeout, throwOnRequestTimeout: true },
  });
  meter(client);
  endInTime(client);
  return {
    name,
    client: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
    retryTimeoutMs,
  };
}

const consumedCapacity = z.object({ CapacityUnits: z.optional(z.number()) });
const answer = z.object({
  $metadata: z.object({ attempts: z.optional(z.int()) }),
  ConsumedCapacity: z.optional(z.union([consumedCapacity, z.array(consumedCapacity)])),
});

const READS = new Set(['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand', 'ScanCommand']);

/** Has every call say what it consumed, and adds that to what the request has consumed. */
function meter(client: DynamoDBClient): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
      const { $metadata, ConsumedCapacity = [] } = answer.parse(result.output);
      const units = [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
      const isRead = READS.has(context.commandName ?? '');
      trackCapacity({
        calls: 1,
        retries: ($metadata.attempts ?? 1) - 1,
        ...(isRead ? { readUnits: units } : { writeUnits: units }),
      });
      return result;
    },
    { step: 'initialize', name: 'meter' },
  );
}

/** Lets no call be repeated after the deadline; the stack is put together anew for each call. */
function endInTime(client: DynamoDBClient): void {
  client.middlewareStack.add(
    (next) => {
      let failure: unknown;
      return async (args) => {
        if (failure !== undefined && Date.now() > deadline()) {
          throw new RetriesExhausted('Gave up a call that kept failing', { cause: failure });
        }
        try {
          return await next(args);
        } catch (error) {
          failure = error;
          throw error;
        }
      };
    },
    { step: 'finalizeRequest', priority: 'low', name: 'endInTime' },
  );
}
