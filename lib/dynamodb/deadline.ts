import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<number>();

/**
 * Does work for which somebody waits: what it calls, however deep, tries nothing again after this time.
 *
 * @param patience in milliseconds; work that is part of other work has no more time than that has left
 */
export function withDeadline<T>(retryTimeoutMs: number, work: () => T): T {
  return current.run(Math.min(Date.now() + retryTimeoutMs, deadline()), work);
}

/**
 * Does work that has to be done even if the time of the work that it is part of has passed.
 *
 * @param patience in milliseconds, of its own
 */
export function withFreshDeadline<T>(retryTimeoutMs: number, work: () => T): T {
  return current.run(Date.now() + retryTimeoutMs, work);
}

/** When nothing is tried again any more, in milliseconds since 1970; nobody waits: never. */
export function deadline(): number {
  return current.getStore() ?? Number.POSITIVE_INFINITY;
}
