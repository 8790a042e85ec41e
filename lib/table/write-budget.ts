import { deadline, RetriesExhausted } from '../base/retry.ts';
import { pacer } from './pacer.ts';

/** Share of a request's time that writing in advance may take; the rest is for retries and the transaction. */
const MAX_SHARE_OF_TIME = 0.75;

export type WriteBudget = ReturnType<typeof writeBudget>;

/**
 * What requests write before their transaction: data of attachments, words of comments. It is bounded before anything is
 * written, and paced, so that others can write beside it.
 *
 * @param unitsPerSecond write capacity that it may take
 * @param timeoutMs time of a request
 */
export function writeBudget(unitsPerSecond: number, timeoutMs: number) {
  const pace = pacer(unitsPerSecond);
  const unitsIn = (ms: number) => Math.floor((MAX_SHARE_OF_TIME * ms * unitsPerSecond) / 1_000);
  return {
    /** Units that one request may write. */
    max: unitsIn(timeoutMs),

    /** To be called before the first `take`. @throws RetriesExhausted when there is not the time left for so many units */
    requireTime(units: number): void {
      if (units > unitsIn(deadline() - Date.now())) {
        throw new RetriesExhausted(`${units} units cannot be written before the deadline`);
      }
    },

    /** Waits until units are available. @throws RetriesExhausted when that is not before the deadline */
    take: (units: number): Promise<number> => pace.take(units),
  };
}
