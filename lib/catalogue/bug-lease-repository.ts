import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import type { Table } from '../dynamodb/client.ts';
import { ConditionFailed } from '../dynamodb/errors.ts';
import { bugLeaseKey } from '../dynamodb/keys.ts';
import { readItem } from '../dynamodb/read.ts';
import { deleteItem, putItem } from '../dynamodb/write.ts';

/** Which run writes bugs of a catalogue or an import, or repairs them. */
export const bugLeaseItem = z.object({
  holder: z.string(),
  /** another one with each renewal */
  renewal: z.string(),
  /** milliseconds after which another run may take it, unless it is renewed */
  duration: z.int(),
});

/** Renewed after a quarter: a batch, which takes two retry budgets and a request at most, ends within the rest. */
const QUARTERS = 4;
const MAX_POLL_MS = 500;

/**
 * The right to write bugs of a catalogue or an import, or to repair the table, of which one run has it at a time:
 * comments of new bugs are written without conditions, which is several times faster. What an interrupted run left
 * expires when another run has seen no renewal for its duration: clocks are not compared.
 *
 * @param onWait called when another run has the lease
 */
export function bugLease(table: Table, onWait: () => void = () => undefined) {
  const holder = randomUUID();
  const duration = QUARTERS * (table.retryTimeoutMs + table.requestTimeoutMs);
  let renewedAt: number | undefined;

  /** @returns whether the condition holds, and the lease is this run's now */
  async function tryPut(condition: string, values: Record<string, string> = {}): Promise<boolean> {
    const now = Date.now();
    const lease = { holder, renewal: randomUUID(), duration };
    try {
      await putItem(
        table,
        { ...bugLeaseKey, ...lease },
        { condition, values: { ...values, ':holder': holder } },
      );
    } catch (error) {
      if (error instanceof ConditionFailed) return false;
      throw error;
    }
    renewedAt = now;
    return true;
  }

  return {
    /** Takes the lease as soon as no other run has it. */
    async take(): Promise<void> {
      const condition = 'attribute_not_exists(pk) OR holder = :holder OR renewal = :expired';
      let seen = { renewal: 'none', duration: 0, at: Date.now() };
      const expired = () => (Date.now() - seen.at < seen.duration ? 'none' : seen.renewal);
      while (!(await tryPut(condition, { ':expired': expired() }))) {
        const lease = await readItem(table, bugLeaseKey, bugLeaseItem);
        if (seen.renewal === 'none') onWait();
        if (lease !== undefined && lease.renewal !== seen.renewal) seen = { ...lease, at: Date.now() };
        await sleep(Math.min(MAX_POLL_MS, seen.duration / QUARTERS));
      }
    },

    /**
     * Renews the lease when a quarter of it is over: before each write that depends on it.
     *
     * @throws ConditionFailed when another run has taken it meanwhile: it may have written the same bugs
     */
    async hold(): Promise<void> {
      const isNew = renewedAt !== undefined && Date.now() - renewedAt < duration / QUARTERS;
      // A lease that another run has given back is not this run's any more.
      if (!isNew && !(await tryPut('holder = :holder'))) throw new ConditionFailed([0]);
    },

    /** Gives the lease back. If that fails, it expires. */
    async release(): Promise<void> {
      const isOurs = { condition: 'holder = :holder', values: { ':holder': holder } };
      if (renewedAt !== undefined) await deleteItem(table, bugLeaseKey, isOurs).catch(() => undefined);
    },
  };
}
