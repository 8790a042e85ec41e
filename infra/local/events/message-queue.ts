import { setTimeout as sleep } from 'node:timers/promises';
import { printFailure } from '../print-failure.ts';

const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;

/**
 * A queue in memory, with the delivery of SQS to a function: one message at a time. A message that fails is delivered again,
 * with exponential backoff, and the others go on meanwhile.
 *
 * @param deliver returns what is left of the message: nothing when it is done; `attempt`: how often it was delivered, from 1
 * @param signal ends it
 */
export function messageQueue(
  deliver: (body: string, attempt: number) => Promise<readonly string[]>,
  signal: AbortSignal,
) {
  let last: Promise<void> = Promise.resolve();
  const waiting = new Set<Promise<void>>();

  function enqueue(body: string, attempt: number): void {
    last = last.then(() => run(body, attempt));
  }

  async function run(body: string, attempt: number): Promise<void> {
    // The first delivery of what was written just before the end.
    if (signal.aborted && attempt > 1) return;
    const left = await deliver(body, attempt).catch((error: unknown) => {
      printFailure('The function mail failed', error);
      return [body];
    });
    if (left.length === 0) return;
    const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** (attempt - 1), MAX_BACKOFF_MS);
    const again = sleep(backoff, undefined, { signal }).then(
      () => enqueue(body, attempt + 1),
      () => undefined,
    );
    waiting.add(again);
    void again.then(() => waiting.delete(again));
  }

  return {
    add: (body: string): void => enqueue(body, 1),
    /** Resolves when nothing is delivered any more. */
    async ended(): Promise<void> {
      await last;
      await Promise.all(waiting);
      await last;
    },
  };
}
