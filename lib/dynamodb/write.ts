import { randomUUID } from 'node:crypto';
import {
  type CancellationReason,
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DeleteCommand,
  PutCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { trackCapacity } from './capacity.ts';
import type { Table } from './client.ts';
import type { Key } from './keys.ts';
import type { Item } from './read.ts';
import { retry } from './retry.ts';

/** How many actions DynamoDB takes in one transaction. */
export const MAX_TRANSACTION_ACTIONS = 100;

/** One action of a transaction; a condition that fails cancels the whole. */
export type Action =
  | { put: Key & Item; condition?: Condition; values?: Item }
  | { update: Key; set: string; condition?: Condition; values: Item; names?: Record<string, string> }
  | { remove: Key; condition?: Condition; values?: Item }
  | { check: Key; condition: Condition; values?: Item };

/** A condition in DynamoDB's expression language. */
export type Condition = string;

export const ABSENT: Condition = 'attribute_not_exists(pk)';
export const PRESENT: Condition = 'attribute_exists(pk)';

/** A transaction's condition did not hold: nothing was written. */
export class ConditionFailed extends Error {
  override name = 'ConditionFailed';
  /** The places, in the list of actions, whose conditions failed. */
  readonly places: ReadonlySet<number>;

  constructor(places: Iterable<number>) {
    super('A condition of the transaction does not hold');
    this.places = new Set(places);
  }
}

/**
 * Writes all of `actions` or none, exactly once: repeats carry the same token, so an answer that got lost
 * does not make it happen twice.
 *
 * @param actions 1 to 100 of them, each on another item
 * @throws ConditionFailed when a condition does not hold; nothing was written
 * @throws RetriesExhausted when other writers keep interfering or the table keeps throttling
 */
export async function transactWrite(table: Table, actions: Action[]): Promise<void> {
  const input: TransactWriteCommandInput = {
    ClientRequestToken: randomUUID(),
    TransactItems: actions.map((action) => transactItem(table.name, action)),
  };
  await retry(table.retryTimeoutMs, async () => {
    try {
      await table.client.send(new TransactWriteCommand(input));
      return { done: true, value: undefined };
    } catch (error) {
      if (error instanceof TransactionInProgressException) {
        return { done: false, reason: 'transaction in progress', cause: error };
      }
      if (!(error instanceof TransactionCanceledException)) throw error;
      trackCapacity({ conflicts: 1 });
      const reasons = error.CancellationReasons ?? [];
      const failed = placesOf(reasons, 'ConditionalCheckFailed');
      if (failed.length > 0) throw new ConditionFailed(failed);
      if (!reasons.some((reason) => PASSING_REASONS.has(reason.Code ?? ''))) throw error;
      return { done: false, reason: 'transaction cancelled', cause: error };
    }
  });
}

/** Why a transaction may be cancelled that can go through later, unchanged. */
const PASSING_REASONS = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
]);

function placesOf(reasons: CancellationReason[], code: string): number[] {
  return reasons.flatMap((reason, place) => (reason.Code === code ? [place] : []));
}

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

function transactItem(tableName: string, action: Action): TransactItem {
  const conditioned = <T extends object>(rest: T) => ({
    TableName: tableName,
    ...rest,
    ...(action.condition === undefined ? {} : { ConditionExpression: action.condition }),
  });
  const withValues = 'values' in action ? { ExpressionAttributeValues: action.values } : {};
  if ('put' in action) return { Put: conditioned({ Item: action.put, ...withValues }) };
  if ('remove' in action) return { Delete: conditioned({ Key: { ...action.remove }, ...withValues }) };
  if ('check' in action) {
    const check = { TableName: tableName, Key: { ...action.check }, ConditionExpression: action.condition };
    return { ConditionCheck: { ...check, ...withValues } };
  }
  const names = action.names === undefined ? {} : { ExpressionAttributeNames: action.names };
  return {
    Update: conditioned({
      Key: { ...action.update },
      UpdateExpression: action.set,
      ...withValues,
      ...names,
    }),
  };
}

/**
 * Writes one item, in place of the one that may be there.
 *
 * @param only the condition, with its values, under which it is written; absent: any
 * @throws ConditionFailed when that does not hold
 */
export async function writeItem(
  table: Table,
  item: Key & Item,
  only: { condition?: Condition; values?: Item } = {},
): Promise<void> {
  const input = {
    TableName: table.name,
    Item: item,
    ConditionExpression: only.condition,
    ExpressionAttributeValues: only.values,
  };
  try {
    await table.client.send(new PutCommand(input));
  } catch (error) {
    throw error instanceof ConditionalCheckFailedException ? new ConditionFailed([0]) : error;
  }
}

/** Removes one item, if it is there. */
export async function removeItem(table: Table, key: Key): Promise<void> {
  await table.client.send(new DeleteCommand({ TableName: table.name, Key: { ...key } }));
}

type WriteRequests = NonNullable<BatchWriteCommandInput['RequestItems']>[string];

const MAX_BATCH_ITEMS = 25;

/**
 * Writes items one by one, in no order and with no promise of all or none: for items that nothing points to yet.
 *
 * @param items at most 25, each with another key
 * @throws RetriesExhausted when the table keeps throttling
 */
export async function writeBatch(table: Table, items: (Key & Item)[]): Promise<void> {
  if (items.length > MAX_BATCH_ITEMS) throw new RangeError(`${items.length} items in one batch`);
  let left: WriteRequests = items.map((item) => ({ PutRequest: { Item: item } }));
  await retry(table.retryTimeoutMs, async () => {
    if (left.length === 0) return { done: true, value: undefined };
    const { UnprocessedItems } = await table.client.send(
      new BatchWriteCommand({ RequestItems: { [table.name]: left } }),
    );
    left = UnprocessedItems?.[table.name] ?? [];
    return left.length === 0
      ? { done: true, value: undefined }
      : { done: false, reason: 'unprocessed items' };
  });
}
