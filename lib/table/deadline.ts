import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<number>();

/**
 * Runs `work` with a deadline, after which nothing that it calls is retried.
 *
 * @param timeoutMs milliseconds from now; an outer deadline that is earlier stays in force
 */
export function withDeadline<T>(timeoutMs: number, work: () => T): T {
  return current.run(Math.min(Date.now() + timeoutMs, deadline()), work);
}

/**
 * Runs `work` with a deadline of its own, even after the outer one has passed: for cleanup.
 *
 * @param timeoutMs milliseconds from now
 */
export function withFreshDeadline<T>(timeoutMs: number, work: () => T): T {
  return current.run(Date.now() + timeoutMs, work);
}

/**
 * Waits for work that goes on without this request, until its deadline.
 *
 * @throws what `late` makes, when the deadline comes first
 */
export async function beforeDeadline<T>(work: Promise<T>, late: () => Error): Promise<T> {
  const left = deadline() - Date.now();
  if (left === Number.POSITIVE_INFINITY) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), Math.max(0, left));
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The deadline in force, in milliseconds since 1970; without one: infinity. */
export function deadline(): number {
  return current.getStore() ?? Number.POSITIVE_INFINITY;
}
