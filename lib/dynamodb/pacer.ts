import { setTimeout } from 'node:timers/promises';

/** Capacity that may be used at once. */
const BURST_SECONDS = 0.25;

/**
 * Paces reads or writes: waits after each until the capacity that it took is available.
 *
 * @param unitsPerSecond of DynamoDB's capacity
 * @returns to be called with the units that were used
 */
export function pacer(unitsPerSecond: number): (units: number) => Promise<void> {
  let free = 0;
  return async (units) => {
    const now = performance.now();
    free = Math.max(free, now - BURST_SECONDS * 1_000) + (units / unitsPerSecond) * 1_000;
    if (free > now) await setTimeout(free - now);
  };
}
