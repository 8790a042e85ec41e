import { AsyncLocalStorage } from 'node:async_hooks';

/** What one request has taken of the table so far. */
export interface CapacityUsage {
  calls: number;
  readUnits: number;
  writeUnits: number;
  /** calls that had to be repeated because they failed or were throttled */
  retries: number;
  /** transactions that others got in the way of */
  conflicts: number;
}

const current = new AsyncLocalStorage<CapacityUsage>();

/** Runs the work of a request; what it takes of the table is added up. */
export function withCapacityTracking<T>(work: () => T): T {
  return current.run({ calls: 0, readUnits: 0, writeUnits: 0, retries: 0, conflicts: 0 }, work);
}

/** What the request that is under way has taken so far; none is: undefined. */
export function currentCapacity(): CapacityUsage | undefined {
  return current.getStore();
}

/** Adds to the consumption of the request that is under way, if any. */
export function trackCapacity(amount: Partial<CapacityUsage>): void {
  const total = current.getStore();
  if (total === undefined) return;
  total.calls += amount.calls ?? 0;
  total.readUnits += amount.readUnits ?? 0;
  total.writeUnits += amount.writeUnits ?? 0;
  total.retries += amount.retries ?? 0;
  total.conflicts += amount.conflicts ?? 0;
}
