import { AsyncLocalStorage } from 'node:async_hooks';

/** DynamoDB usage of one request. */
export interface CapacityUsage {
  calls: number;
  readUnits: number;
  writeUnits: number;
  /** calls repeated by the SDK after an error or throttling */
  retries: number;
  /** writes cancelled because another transaction was writing the same item */
  conflicts: number;
}

const current = new AsyncLocalStorage<CapacityUsage>();

/** Runs the work of a request and sums up its DynamoDB usage. */
export function withCapacityTracking<T>(work: () => T): T {
  return current.run({ calls: 0, readUnits: 0, writeUnits: 0, retries: 0, conflicts: 0 }, work);
}

/** Usage of the current request so far; outside of a request: undefined. */
export function currentCapacity(): CapacityUsage | undefined {
  return current.getStore();
}

/** Adds to the usage of the current request, if there is one. */
export function trackCapacity(amount: Partial<CapacityUsage>): void {
  const total = current.getStore();
  if (total === undefined) return;
  total.calls += amount.calls ?? 0;
  total.readUnits += amount.readUnits ?? 0;
  total.writeUnits += amount.writeUnits ?? 0;
  total.retries += amount.retries ?? 0;
  total.conflicts += amount.conflicts ?? 0;
}
