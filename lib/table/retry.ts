import { retry } from '../base/retry.ts';
import { isStale, isUnavailable } from './errors.ts';

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
 * Repeats `work` as long as what it writes has changed since it was read (optimistic locking).
 *
 * @param timeoutMs retry budget; nested retries share the remaining time
 * @param what other requests change, for the error
 * @param work reads and writes: a StaleWrite that it throws repeats it
 * @throws RetriesExhausted when the budget is used up, and what `work` throws for other reasons
 */
export function retryStale<T>(
  timeoutMs: number,
  what: string,
  work: (attempt: number) => Promise<T>,
): Promise<T> {
  return retry(timeoutMs, async (attempt) => {
    try {
      return { done: true, value: await work(attempt) };
    } catch (error) {
      if (!isStale(error)) throw error;
      return { done: false, reason: `other requests change ${what}`, cause: error };
    }
  });
}
