import { deadline } from './deadline.ts';
import { pacer } from './pacer.ts';

/** Of the time until the deadline, that writing in advance may take; the rest is for retries and the transaction. */
const MAX_SHARE_OF_TIME = 0.75;

export type WriteBudget = ReturnType<typeof writeBudget>;

/**
 * What requests write before their transaction: data of attachments, words of comments. It is bounded before anything is
 * written, and paced, so that others can write beside it.
 *
 * @param unitsPerSecond write capacity that it may take
 */
export function writeBudget(unitsPerSecond: number) {
  const pace = pacer(unitsPerSecond);
  return {
    /** Units that can be written before the deadline of the request. */
    affordable: (): number =>
      Math.floor((MAX_SHARE_OF_TIME * (deadline() - Date.now()) * unitsPerSecond) / 1_000),

    /** Waits until units are available. @throws RetriesExhausted when that is not before the deadline */
    take: (units: number): Promise<number> => pace.take(units),
  };
}
