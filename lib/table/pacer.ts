import { setTimeout } from 'node:timers/promises';
import { deadline, RetriesExhausted } from './retry.ts';

/** Capacity that may be used at once. */
const BURST_MS = 250;
/** Throttling within this time is one sign: calls that run at the same time are throttled together. */
const SIGN_MS = 250;
/** Each sign of throttling halves the rate, down to this share of the full one; each second without adds another share. */
const MIN_SHARE = 1 / 64;
const ADDED_SHARE = 1 / 40;

/** Before anything is known. What a call takes beyond that delays the calls that follow it. */
const FIRST_UNITS = 1;

/** Where a pacer gets its time from, in milliseconds. */
export interface Clock {
  now(): number;
  sleep(ms: number): Promise<unknown>;
}
const CLOCK: Clock = { now: () => performance.now(), sleep: (ms) => setTimeout(ms) };

export type Pacer = ReturnType<typeof pacer>;

/**
 * Paces calls by the capacity that they take. The rate follows what the table allows when others read, too: additive
 * increase, multiplicative decrease.
 *
 * @param unitsPerSecond the full rate, of DynamoDB's capacity
 */
export function pacer(unitsPerSecond: number, { now, sleep }: Clock = CLOCK) {
  /** when the capacity that was taken will have been available */
  let free = Number.NEGATIVE_INFINITY;
  /** what the next call is going to use */
  let expected = FIRST_UNITS;
  let slowed = { at: Number.NEGATIVE_INFINITY, share: 1 };
  const shareAt = (time: number): number =>
    Math.min(1, slowed.share + ((time - slowed.at) / 1_000) * ADDED_SHARE);
  const millisecondsOf = (units: number): number => (units / (unitsPerSecond * shareAt(now()))) * 1_000;

  return {
    /**
     * Takes capacity: waits until it is available.
     *
     * @param units absent: what calls have used of late
     * @returns what was taken
     * @throws RetriesExhausted when it is not available before the deadline of the request
     */
    async take(units = expected): Promise<number> {
      const time = now();
      free = Math.max(free, time - BURST_MS) + millisecondsOf(units);
      const wait = free - time;
      if (wait <= 0) return units;
      if (Date.now() + wait > deadline()) {
        free -= millisecondsOf(units);
        throw new RetriesExhausted('The capacity is not available before the deadline');
      }
      await sleep(wait);
      return units;
    },

    /** Says what a call has used of the capacity that was taken for it. */
    settle(taken: number, used: number): void {
      free -= millisecondsOf(taken - used);
      if (used > 0) expected = (expected + used) / 2;
    },

    /** Says that the table has throttled a call. */
    slowDown(): void {
      const time = now();
      if (time - slowed.at < SIGN_MS) return;
      slowed = { at: time, share: Math.max(MIN_SHARE, shareAt(time) / 2) };
    },
  };
}
