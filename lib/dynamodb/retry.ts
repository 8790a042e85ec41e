import { setTimeout as sleep } from 'node:timers/promises';
import { deadline, withDeadline } from './deadline.ts';

/** What one attempt came to. */
export type Attempt<T> = { done: true; value: T } | { done: false; reason: string; cause?: unknown };

/** The table did not let a call through within the time that a client may be kept waiting. */
export class RetriesExhausted extends Error {
  override name = 'RetriesExhausted';
}

/** For how many milliseconds what fails is tried again: a third less than what the gateway allows. */
export const DEFAULT_RETRY_TIMEOUT_MS = 20_000;
const FIRST_BACKOFF_MS = 10;
const MAX_BACKOFF_MS = 640;

/**
 * Repeats `attempt` until it is done, with pauses that grow and are drawn by chance, so that clients that
 * collided once do not collide again; a table that is slow is asked less often.
 *
 * @param patience for how many milliseconds; what the attempt itself tries again is to be done by then too
 * @throws RetriesExhausted after that
 */
export function retry<T>(
  retryTimeoutMs: number,
  attempt: (number: number) => Promise<Attempt<T>>,
): Promise<T> {
  return withDeadline(retryTimeoutMs, () => runAttempts(attempt));
}

async function runAttempts<T>(attempt: (number: number) => Promise<Attempt<T>>): Promise<T> {
  for (let number = 1; ; number += 1) {
    const began = Date.now();
    const outcome = await attempt(number);
    if (outcome.done) return outcome.value;
    const growing = Math.min(FIRST_BACKOFF_MS * 2 ** number, MAX_BACKOFF_MS);
    const longest = Math.max(growing, Date.now() - began);
    const pause = Math.random() * longest;
    if (Date.now() + pause > deadline()) {
      throw new RetriesExhausted(`Gave up after ${number} attempts: ${outcome.reason}`, {
        cause: outcome.cause,
      });
    }
    await sleep(pause);
  }
}
