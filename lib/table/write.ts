import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type CancellationReason,
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DeleteCommand,
  PutCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { mapConcurrent, portions } from '../base/collections.ts';
import type { Table } from './client.ts';
import { trackCapacity } from './consumption.ts';
import { ConditionFailed, isStale, isUnavailable, type StaleWrite, TransactionConflict } from './errors.ts';
import type { Attributes, Key } from './keys.ts';
import type { Item } from './read.ts';
import { retry, retryUnavailable } from './retry.ts';

/** Actions that DynamoDB allows in one transaction. */
export const MAX_TRANSACTION_ACTIONS = 100;
/** DynamoDB allows 4 MB in one transaction; this leaves room for keys and attribute names. */
export const MAX_TRANSACTION_BYTES = 3_500_000;

/** One action of a transaction. A condition that fails cancels the whole transaction. */
export type Action =
  | { put: Item; condition?: Condition; values?: Attributes; names?: Record<string, string> }
  | Update
  | { remove: Key; condition?: Condition; values?: Attributes; names?: Record<string, string> }
  | { check: Key; condition: Condition; values?: Attributes; names?: Record<string, string> };

/** An update of one item. */
export interface Update {
  update: Key;
  /** update expression */
  set: string;
  condition?: Condition;
  values: Attributes;
  names?: Record<string, string>;
}

/** A condition expression. */
export type Condition = string;

/** A condition with its values and names. */
export interface Guard {
  condition: Condition;
  values?: Attributes;
  names?: Record<string, string>;
}

/**
 * The update that writes attributes of an item. Its other attributes stay: another version of Bugless may have written them.
 *
 * @param attributes at least one; undefined: the attribute is removed
 */
function setUpdate(key: Key, attributes: Attributes, { condition, ...guard }: Partial<Guard> = {}): Update {
  const names: Record<string, string> = { ...guard.names };
  const values: Attributes = { ...guard.values };
  const set: string[] = [];
  const remove: string[] = [];
  for (const [at, [name, value]] of Object.entries(attributes).entries()) {
    names[`#a${at}`] = name;
    if (value !== undefined) values[`:a${at}`] = value;
    if (value === undefined) remove.push(`#a${at}`);
    else set.push(`#a${at} = :a${at}`);
  }
  const parts = [
    ...(set.length === 0 ? [] : [`SET ${set.join()}`]),
    ...(remove.length === 0 ? [] : [`REMOVE ${remove.join()}`]),
  ];
  return {
    update: key,
    set: parts.join(' '),
    names,
    values,
    ...(condition === undefined ? {} : { condition }),
  };
}

/**
 * The action that writes attributes of an item that exists, as setItem does.
 *
 * @param guard must fail where the item does not exist
 */
export const setAction = (key: Key, attributes: Attributes, guard: Guard): Action =>
  Object.keys(attributes).length === 0 ? { check: key, ...guard } : setUpdate(key, attributes, guard);

/** The action that writes attributes of an item, which may be new, as setItem does. */
export const upsertAction = (key: Key, attributes: Attributes): Action => setUpdate(key, attributes);

/**
 * Writes attributes of one item, which may be new. Its other attributes stay: see setUpdate.
 *
 * @param guard absent: no condition
 * @throws ConditionFailed when the condition does not hold
 */
export const setItem = (table: Table, key: Key, attributes: Attributes, guard?: Guard): Promise<void> =>
  updateItem(table, setUpdate(key, attributes, guard));

/** The attributes that differ between an item and what is to be written; undefined: it has the attribute no longer. */
export function differingAttributes(before: object, after: object): Attributes {
  const read = new Map<string, unknown>(Object.entries(before));
  const differing: Attributes = Object.fromEntries(
    Object.entries(after).filter(([name, value]) => !isDeepStrictEqual(value, read.get(name))),
  );
  for (const [name, value] of read) if (value !== undefined && !(name in after)) differing[name] = undefined;
  return differing;
}

/**
 * The condition that attributes of an item are as they were read.
 *
 * @param read at least one, by name; undefined: the item does not have the attribute
 */
export function asRead(read: Attributes): Required<Guard> {
  const attributes = Object.entries(read);
  return {
    condition: attributes
      .map(([, value], at) => (value === undefined ? `attribute_not_exists(#r${at})` : `#r${at} = :r${at}`))
      .join(' AND '),
    names: Object.fromEntries(attributes.map(([name], at) => [`#r${at}`, name])),
    values: Object.fromEntries(
      attributes.flatMap(([, value], at) => (value === undefined ? [] : [[`:r${at}`, value]])),
    ),
  };
}

export const ABSENT: Condition = 'attribute_not_exists(pk)';
export const PRESENT: Condition = 'attribute_exists(pk)';

/**
 * The action that writes an item that counts its writes, unless it was written since it was read (optimistic locking).
 *
 * @param revision as it was read; 0: there was none
 */
export const revisedAction = (key: Key, revision: number, content: Attributes): Action =>
  revision === 0
    ? { put: { ...key, ...content, revision: 1 }, condition: ABSENT }
    : setAction(key, { ...content, revision: revision + 1 }, asRead({ revision }));

/**
 * Writes all `actions` or none, exactly once: retries carry the same client request token, so a lost response
 * does not repeat the write. Throttling and outages are retried here; conflicts are left to the caller, who reads
 * again.
 *
 * @param actions 1 to 100, each on another item
 * @throws ConditionFailed when a condition does not hold
 * @throws TransactionConflict when another transaction holds one of the items
 * @throws RetriesExhausted when DynamoDB is unavailable until the deadline; if responses were lost it may be written
 */
export async function transactWrite(table: Table, actions: Action[]): Promise<void> {
  const input = {
    ClientRequestToken: randomUUID(),
    TransactItems: actions.map((action) => transactItem(table.name, action)),
  };
  await retry(table.retryTimeoutMs, async (attempt) => {
    try {
      await table.client.send(new TransactWriteCommand(input));
      return { done: true, value: undefined };
    } catch (error) {
      if (error instanceof TransactionInProgressException) {
        return { done: false, reason: 'transaction in progress', cause: error };
      }
      if (isUnavailable(error)) return { done: false, reason: 'DynamoDB is unavailable', cause: error };
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons = error.CancellationReasons ?? [];
      const failed = indicesOf(reasons, 'ConditionalCheckFailed');
      if (failed.length > 0) throw new ConditionFailed(failed);
      const conflicts = indicesOf(reasons, 'TransactionConflict');
      if (conflicts.length > 0) {
        trackCapacity({ conflicts: 1 });
        // An earlier attempt may have been committed and its response lost: the same token prevents a second write.
        if (attempt > 1 || error.$metadata.attempts !== 1) {
          return { done: false, reason: 'transaction conflict', cause: error };
        }
        throw new TransactionConflict(conflicts, { cause: error });
      }
      if (!reasons.some((reason) => THROTTLING_REASONS.has(reason.Code ?? ''))) throw error;
      return { done: false, reason: 'transaction throttled', cause: error };
    }
  });
}

/**
 * Writes all `actions` or none, as transactWrite does, and repeats it while other transactions hold nothing but the items that
 * its last actions check: these say all that it depends on there.
 *
 * @param checks how many of the last actions are such checks
 * @throws ConditionFailed, TransactionConflict, RetriesExhausted as transactWrite
 */
export function transactWriteChecked(table: Table, actions: Action[], checks: number): Promise<void> {
  const isCheck = (index: number) => index >= actions.length - checks;
  return retry(table.retryTimeoutMs, async () => {
    try {
      await transactWrite(table, actions);
      return { done: true, value: undefined };
    } catch (error) {
      if (!(error instanceof TransactionConflict) || ![...error.indices].every(isCheck)) throw error;
      return { done: false, reason: 'transaction conflict', cause: error };
    }
  });
}

/**
 * Writes all `actions` or none, as transactWrite does (optimistic locking).
 *
 * @returns undefined when written; otherwise the caller reads again before the next attempt
 */
export async function tryTransactWrite(table: Table, actions: Action[]): Promise<StaleWrite | undefined> {
  try {
    await transactWrite(table, actions);
    return undefined;
  } catch (error) {
    if (isStale(error)) return error;
    throw error;
  }
}

/**
 * Writes all `actions` or none, as transactWrite does, and repeats it after conflicts: for actions whose conditions say
 * all that they depend on.
 *
 * @throws ConditionFailed when a condition does not hold, and RetriesExhausted
 */
export const transactWriteRetrying = (table: Table, actions: Action[]): Promise<void> =>
  retryConflicts(table, () => transactWrite(table, actions));

/**
 * Repeats `work`, which reads and writes, as long as its transactions are cancelled for conflicts.
 *
 * @param work repeats the reads that its writes depend on
 * @throws RetriesExhausted when conflicts last until the deadline, and what `work` throws
 */
function retryConflicts<T>(table: Table, work: () => Promise<T>): Promise<T> {
  return retry(table.retryTimeoutMs, async () => {
    try {
      return { done: true, value: await work() };
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (error instanceof TransactionConflictException) trackCapacity({ conflicts: 1 });
      return { done: false, reason: 'transaction conflict', cause: error };
    }
  });
}

/** Whether an error says that nothing was written because another transaction was writing the same item. */
function isConflict(error: unknown): boolean {
  return error instanceof TransactionConflict || error instanceof TransactionConflictException;
}

/** Cancellation reasons under which the same transaction may succeed later. */
const THROTTLING_REASONS = new Set([
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
  'RequestLimitExceeded',
]);

function indicesOf(reasons: CancellationReason[], code: string): number[] {
  return reasons.flatMap((reason, index) => (reason.Code === code ? [index] : []));
}

function transactItem(
  tableName: string,
  action: Action,
): NonNullable<TransactWriteCommandInput['TransactItems']>[number] {
  const { condition, values, names } = action;
  const guard = {
    TableName: tableName,
    ...valuesOf(values),
    ...(names === undefined ? {} : { ExpressionAttributeNames: names }),
    ...(condition === undefined ? {} : { ConditionExpression: condition }),
  };
  if ('put' in action) return { Put: { ...guard, Item: action.put } };
  if ('remove' in action) return { Delete: { ...guard, Key: action.remove } };
  if ('check' in action) {
    return { ConditionCheck: { ...guard, Key: action.check, ConditionExpression: action.condition } };
  }
  return { Update: updateInput(tableName, action) };
}

/** The values of an expression, which DynamoDB refuses where there are none. */
const valuesOf = (values: Attributes = {}) =>
  Object.keys(values).length === 0 ? {} : { ExpressionAttributeValues: values };

function updateInput(tableName: string, { update, set, condition, values, names }: Update) {
  return {
    TableName: tableName,
    Key: update,
    UpdateExpression: set,
    ...valuesOf(values),
    ...(names === undefined ? {} : { ExpressionAttributeNames: names }),
    ...(condition === undefined ? {} : { ConditionExpression: condition }),
  };
}

/**
 * Writes one item, replacing any item with the same key.
 *
 * @param condition with its values; absent: none
 * @throws ConditionFailed when the condition does not hold
 */
export async function putItem(
  table: Table,
  item: Item,
  { condition, values }: { condition?: Condition; values?: Attributes } = {},
): Promise<void> {
  const input = {
    TableName: table.name,
    Item: item,
    ConditionExpression: condition,
    ...valuesOf(values),
  };
  await singleWrite(table, () => table.client.send(new PutCommand(input)));
}

/**
 * Updates one item.
 *
 * @throws ConditionFailed when the condition does not hold
 */
export async function updateItem(table: Table, update: Update): Promise<void> {
  const input = updateInput(table.name, update);
  await singleWrite(table, () => table.client.send(new UpdateCommand(input)));
}

/**
 * Deletes one item; an absent one is no error without a condition.
 *
 * @param condition with its values; absent: none
 * @throws ConditionFailed when the condition does not hold
 */
export async function deleteItem(
  table: Table,
  key: Key,
  { condition, values }: { condition?: Condition; values?: Attributes } = {},
): Promise<void> {
  const input = {
    TableName: table.name,
    Key: key,
    ConditionExpression: condition,
    ...valuesOf(values),
  };
  await singleWrite(table, () => table.client.send(new DeleteCommand(input)));
}

async function singleWrite<T>(table: Table, send: () => Promise<T>): Promise<T> {
  try {
    return await retryConflicts(table, () => retryUnavailable(table.retryTimeoutMs, send));
  } catch (error) {
    throw error instanceof ConditionalCheckFailedException ? new ConditionFailed([0]) : error;
  }
}

const MAX_BATCH_ITEMS = 25;

/**
 * Writes items one by one, in no order and not atomically: for items that nothing refers to yet.
 *
 * @param items any number, each with another key
 * @param concurrency batches of 25 that are written at the same time
 * @param before called before each batch
 * @throws RetriesExhausted when the table throttles until the deadline
 */
export async function batchWrite(
  table: Table,
  items: Item[],
  { concurrency, before }: { concurrency?: number; before?: (batch: Item[]) => Promise<void> } = {},
): Promise<void> {
  const writeBatch = async (batch: Item[]) => {
    await before?.(batch);
    let pending: NonNullable<BatchWriteCommandInput['RequestItems']>[string][number][] = batch.map(
      (item) => ({ PutRequest: { Item: item } }),
    );
    await retry(table.retryTimeoutMs, async () => {
      const { UnprocessedItems } = await retryUnavailable(table.retryTimeoutMs, () =>
        table.client.send(new BatchWriteCommand({ RequestItems: { [table.name]: pending } })),
      );
      pending = UnprocessedItems?.[table.name] ?? [];
      return pending.length === 0
        ? { done: true, value: undefined }
        : { done: false, reason: 'unprocessed items' };
    });
  };
  await mapConcurrent([...portions(items, { max: MAX_BATCH_ITEMS })], writeBatch, concurrency);
}
