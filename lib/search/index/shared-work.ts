import { withoutBound } from '../../table/consumption.ts';
import { deadline, RetriesExhausted, withFreshDeadline } from '../../table/retry.ts';

/**
 * Begins work that all requests wait for: it goes on when this one ends, within a time of its own, and counts to no bound of
 * a request.
 */
export function beginShared<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const isUnlimited = deadline() === Number.POSITIVE_INFINITY;
  const begun = withoutBound(() => (isUnlimited ? work() : withFreshDeadline(timeoutMs, work)));
  // Perhaps no request waits for it any more.
  begun.catch(() => undefined);
  return begun;
}

/** The error of a request whose deadline comes before shared work is done. */
export const late = () => new RetriesExhausted('The search index was not read before the deadline');
