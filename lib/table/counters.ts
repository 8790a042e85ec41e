import { setImmediate } from 'node:timers/promises';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { Table } from './client.ts';
import { ConditionFailed } from './errors.ts';
import { type CounterName, counterKey, type Key } from './keys.ts';
import { readItem } from './read.ts';
import { retryUnavailable } from './retry.ts';
import { type Action, type Update, updateItem } from './write.ts';

/** The last id given of a kind. */
export const counterItem = z.object({ last: z.int() });

/**
 * Allocates the next `count` ids with an atomic increment. It is not part of the transaction that uses them, where
 * all writers would conflict: a failed write leaves a gap, no id is allocated twice.
 *
 * @returns the first of them
 */
export async function allocateIds(table: Table, counter: CounterName, count = 1): Promise<number> {
  const update = new UpdateCommand({
    TableName: table.name,
    Key: counterKey(counter),
    UpdateExpression: 'ADD #last :count',
    ExpressionAttributeNames: { '#last': 'last' },
    ExpressionAttributeValues: { ':count': count },
    ReturnValues: 'UPDATED_NEW',
  });
  const { Attributes } = await retryUnavailable(table.retryTimeoutMs, () => table.client.send(update));
  return counterItem.parse(Attributes).last - count + 1;
}

export type IdAllocator = ReturnType<typeof idAllocator>;

/** Allocates ids as allocateIds does; calls that are made at the same time share one increment: for bulk writes. */
export function idAllocator(table: Table) {
  const open = new Map<CounterName, { count: number; first: Promise<number> }>();

  function batchOf(counter: CounterName) {
    const batch = open.get(counter) ?? {
      count: 0,
      first: setImmediate().then(() => {
        const { count = 0 } = open.get(counter) ?? {};
        open.delete(counter);
        return allocateIds(table, counter, count);
      }),
    };
    open.set(counter, batch);
    return batch;
  }

  /** @returns the first of `count` consecutive ids */
  return async (counter: CounterName, count = 1): Promise<number> => {
    const batch = batchOf(counter);
    const before = batch.count;
    batch.count += count;
    return (await batch.first) + before;
  };
}

/** The last id given of a kind; none: 0. */
export const lastId = async (table: Table, counter: CounterName): Promise<number> =>
  (await readItem(table, counterKey(counter), counterItem))?.last ?? 0;

/** Makes sure that no id up to `id` will be allocated: for ids that come from a file. */
export async function advanceCounter(table: Table, counter: CounterName, id: number): Promise<void> {
  try {
    await updateItem(table, counterAdvance(counter, id));
  } catch (error) {
    // The counter is past it.
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

/** The update that advances a counter to `id`; its condition fails when the counter is already past it. */
export const counterAdvance = (counter: CounterName, id: number): Update => ({
  update: counterKey(counter),
  set: 'SET #last = :id',
  condition: 'attribute_not_exists(#last) OR #last < :id',
  names: { '#last': 'last' },
  values: { ':id': id },
});

/**
 * The version of a range that processes remember. It is raised in the transaction of every change of the range, so that
 * one small read says whether what is remembered is current: that read is the linearization point.
 */
export const rangeVersion = z.object({
  version: z.int(),
  /** of the last change, in milliseconds since 1970 */
  changed_at: z.int(),
});
export type RangeVersion = z.infer<typeof rangeVersion>;

/** The transaction action that makes every process read the range again. */
export const raiseVersion = (key: Key, now: Date): Action => ({
  update: key,
  set: 'SET changed_at = :now ADD version :one',
  values: { ':now': now.getTime(), ':one': 1 },
});

/**
 * Longer than a transaction is repeated, and than a query may then miss items of it while their version is visible,
 * differences of clocks included.
 */
const SETTLED_MS = 30_000;

/** Whether a range that is read now, after its version, has everything of this version, so that it may be remembered. */
export const isSettled = ({ changed_at }: RangeVersion, now: Date): boolean =>
  changed_at < now.getTime() - SETTLED_MS;
