import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import type { Table } from '../dynamodb/client.ts';
import { ConditionFailed } from '../dynamodb/errors.ts';
import { bugLeaseKey } from '../dynamodb/keys.ts';
import type { Attributes } from '../dynamodb/read.ts';
import { type Condition, deleteItem, putItem } from '../dynamodb/write.ts';

/** Which run writes bugs and comments with given ids. */
export const bugLeaseItem = z.object({
  holder: z.string(),
  /** milliseconds since 1970 */
  held_until: z.int(),
});

/** In retry budgets of the table: a batch that starts with so much left ends within the lease. */
const BUDGETS_LEFT = 3;
const BUDGETS = BUDGETS_LEFT + 1;
const POLLS = 100;

/**
 * The right to write bugs and comments with given ids, of which one run has it at a time: comments of new bugs are written without
 * conditions, which is several times faster. After an interruption it expires.
 *
 * @param onWait called when another run has the lease
 */
export function bugLease(table: Table, onWait: () => void = () => undefined) {
  const holder = randomUUID();
  const duration = BUDGETS * table.retryTimeoutMs;
  let heldUntil: number | undefined;

  /** @returns whether the condition holds and the lease is this run's now */
  async function tryPut(condition: Condition, now: number, values: Attributes): Promise<boolean> {
    const lease = { holder, held_until: now + duration };
    try {
      await putItem(table, { ...bugLeaseKey, ...lease }, { condition, values });
    } catch (error) {
      if (error instanceof ConditionFailed) return false;
      throw error;
    }
    heldUntil = lease.held_until;
    return true;
  }

  const tryTake = (now = Date.now()) =>
    tryPut('attribute_not_exists(pk) OR holder = :holder OR held_until < :now', now, {
      ':holder': holder,
      ':now': now,
    });
  /** A lease that another run has given back is not this run's any more. */
  const tryRenew = () => tryPut('holder = :holder', Date.now(), { ':holder': holder });

  return {
    /** Takes the lease as soon as no other run has it. */
    async take(): Promise<void> {
      for (let isFirst = true; !(await tryTake()); isFirst = false) {
        if (isFirst) onWait();
        await sleep(duration / POLLS);
      }
    },

    /**
     * Renews the lease when it ends soon: before each write that depends on it.
     *
     * @throws ConditionFailed when another run has taken it meanwhile: it may have written the same bugs
     */
    async hold(): Promise<void> {
      const isLong = heldUntil !== undefined && heldUntil - Date.now() >= BUDGETS_LEFT * table.retryTimeoutMs;
      if (!isLong && !(await tryRenew())) throw new ConditionFailed([0]);
    },

    /** Gives the lease back. If that fails, it expires. */
    async release(): Promise<void> {
      const isOurs = { condition: 'holder = :holder', values: { ':holder': holder } };
      if (heldUntil !== undefined) await deleteItem(table, bugLeaseKey, isOurs).catch(() => undefined);
    },
  };
}
