import { AsyncLocalStorage } from 'node:async_hooks';
import { errors } from '../errors.ts';

/**
 * With a page for each of two concurrent queries a request stays below 4,000 units, which is more than a response
 * holds.
 */
const MAX_UNITS = 3_400;
const UNIT_BYTES = 4_096;

/**
 * How many lists of unbounded length (histories, attachments, members) are read concurrently. Each page is counted
 * before the next is read.
 */
export const BOUNDED_CONCURRENCY = 2;

const current = new AsyncLocalStorage<{ units: number }>();

/** Runs the work of a request, whose bounded reads are counted together. */
export const withReadLimit = <T>(work: () => T): T => current.run({ units: 0 }, work);

/**
 * Counts the read units that the current request spends on lists of unbounded length. Call it with 0 before each page,
 * and with the units of the page after it. Outside of a request nothing is counted.
 */
export function countBoundedRead(units: number): void {
  const total = current.getStore();
  if (total === undefined) return;
  total.units += units;
  if (total.units > MAX_UNITS) {
    const megabytes = Math.floor((MAX_UNITS * UNIT_BYTES) / 1_000_000);
    throw errors.requestTooLarge(`at most ${megabytes} MB of changes, attachments and members of groups`);
  }
}

/** Whether the current request has read fewer than `units` of these lists. */
export const hasReadLess = (units: number): boolean => (current.getStore()?.units ?? 0) < units;

/** The read units that items of so many bytes take together. */
export const unitsOf = (bytes: number): number => Math.ceil(bytes / UNIT_BYTES);
