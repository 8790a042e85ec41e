import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { isStale, isUnavailable } from './errors.ts';

/** Outcome of one attempt. */
type Attempt<T> = { done: true; value: T } | { done: false; reason: string; cause?: unknown };

/** The table did not accept a call before the deadline of the request. */
export class RetriesExhausted extends Error {
  override name = 'RetriesExhausted';
}

/** Retry budget before the client gets 503: two thirds of the time that API Gateway allows. */
export const DEFAULT_RETRY_TIMEOUT_MS = 20_000;
/**
 * Timeout of one attempt. The largest responses need a fraction of it: on DynamoDB Local and a busy machine, a query page
 * of 1 MB took at most 0.2 s, a batch of 15 MB 0.4 s, a transaction of 4 MB 0.2 s, and eight concurrent query pages of
 * 1 MB 0.9 s.
 */
export const DEFAULT_REQUEST_TIMEOUT_MS = 2_000;

const FIRST_BACKOFF_MS = 10;
const MAX_BACKOFF_MS = 640;

/**
 * Repeats `attempt` until it is done, with exponential backoff and full jitter, within the deadline of the
 * request. A slow attempt lengthens the backoff, so that an overloaded table gets fewer calls.
 *
 * @param timeoutMs retry budget; nested retries share the remaining time
 * @throws RetriesExhausted when the budget is used up
 */
export function retry<T>(timeoutMs: number, attempt: (number: number) => Promise<Attempt<T>>): Promise<T> {
  return withDeadline(timeoutMs, () => runAttempts(attempt));
}

async function runAttempts<T>(attempt: (number: number) => Promise<Attempt<T>>): Promise<T> {
  for (let number = 1; ; number += 1) {
    const started = Date.now();
    const outcome = await attempt(number);
    if (outcome.done) return outcome.value;
    const exponential = Math.min(FIRST_BACKOFF_MS * 2 ** number, MAX_BACKOFF_MS);
    const backoff = Math.random() * Math.max(exponential, Date.now() - started);
    if (Date.now() + backoff > deadline()) {
      throw new RetriesExhausted(`Gave up after ${number} attempts: ${outcome.reason}`, {
        cause: outcome.cause,
      });
    }
    await sleep(backoff);
  }
}

const currentDeadline = new AsyncLocalStorage<number>();

/**
 * Runs `work` with a deadline, after which nothing that it calls is retried.
 *
 * @param timeoutMs milliseconds from now; an outer deadline that is earlier stays in force
 */
export function withDeadline<T>(timeoutMs: number, work: () => T): T {
  return currentDeadline.run(Math.min(Date.now() + timeoutMs, deadline()), work);
}

/**
 * Runs `work` with a deadline of its own, even after the outer one has passed: for cleanup.
 *
 * @param timeoutMs milliseconds from now
 */
export function withFreshDeadline<T>(timeoutMs: number, work: () => T): T {
  return currentDeadline.run(Date.now() + timeoutMs, work);
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
  return currentDeadline.getStore() ?? Number.POSITIVE_INFINITY;
}

/**
 * Repeats a call to DynamoDB that may be repeated, after the retries of the SDK, as long as DynamoDB is unavailable.
 *
 * @param timeoutMs retry budget; nested retries share the remaining time
 * @throws RetriesExhausted when the budget is used up, and what `call` throws for other reasons
 */
export function retryUnavailable<T>(timeoutMs: number, call: () => Promise<T>): Promise<T> {
  return retry(timeoutMs, async () => {
    try {
      return { done: true, value: await call() };
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return { done: false, reason: 'DynamoDB is unavailable', cause: error };
    }
  });
}

/**
 * Repeats `work` as long as what it writes has changed since it was read (optimistic locking), within the deadline of the
 * request; in commands, which have none, for 20 seconds.
 *
 * @param what other requests change, for the error
 * @param work reads and writes: a StaleWrite that it throws repeats it
 * @throws RetriesExhausted when the budget is used up, and what `work` throws for other reasons
 */
export function retryStale<T>(what: string, work: (attempt: number) => Promise<T>): Promise<T> {
  const hasDeadline = currentDeadline.getStore() !== undefined;
  return retry(hasDeadline ? Number.POSITIVE_INFINITY : DEFAULT_RETRY_TIMEOUT_MS, async (attempt) => {
    try {
      return { done: true, value: await work(attempt) };
    } catch (error) {
      if (!isStale(error)) throw error;
      return { done: false, reason: `other requests change ${what}`, cause: error };
    }
  });
}
