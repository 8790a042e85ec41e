import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;

/**
 * A queue in memory, with the delivery of SQS to a function: a message that fails is delivered again.
 *
 * @param deliver returns what is left of the message: nothing when it is done
 * @param signal ends it
 */
export function messageQueue(deliver: (body: string) => Promise<readonly string[]>, signal: AbortSignal) {
  let last: Promise<void> = Promise.resolve();

  async function run(body: string): Promise<void> {
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const left = await deliver(body).catch((error: unknown) => {
        console.error('The function mail failed', error);
        return [body];
      });
      if (left.length === 0) return;
      const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** attempt, MAX_BACKOFF_MS);
      await sleep(backoff, undefined, { signal }).catch(() => undefined);
    }
  }

  return {
    add(body: string): void {
      last = last.then(() => run(body));
    },
    /** Resolves when nothing is delivered any more. */
    ended: (): Promise<void> => last,
  };
}
