import { errors } from '../errors.ts';
import { currentCapacity } from './consumption.ts';

/** How far this machine's clock may be off. DynamoDB's responses have whole seconds. */
const MAX_SKEW_MS = 10_000;

/** When a call was sent and its response was read, by this machine's clock, in milliseconds since 1970. */
export interface CallTimes {
  sentAt: number;
  readAt: number;
}

export type TableClock = ReturnType<typeof tableClock>;

/**
 * Compares this machine's clock with the header `Date` of DynamoDB's responses. A search finds what was written by the time of
 * writing, so a clock that is minutes ahead or behind would hide bugs from all searches.
 *
 * @param onSkew called with a message where the clock is found to be off, after it was not
 */
export function tableClock(onSkew: (message: string) => void = () => undefined) {
  let aheadMs = 0;

  return {
    /**
     * Notes a response; the latest one decides. A slow call is no skew: DynamoDB's time lies between those of the call. A
     * response without a time says nothing.
     */
    note(date: string | undefined, { sentAt, readAt }: CallTimes): void {
      const at = Date.parse(date ?? '');
      if (Number.isNaN(at)) return;
      const wasOff = aheadMs !== 0;
      aheadMs = skewOf(at, sentAt, readAt);
      if (aheadMs !== 0 && !wasOff) onSkew(skewText(aheadMs));
    },

    /**
     * The time by this machine's clock; by DynamoDB's, as far as it is known, where this machine's is off. So that a search
     * finds what others write.
     */
    now: (): Date => new Date(Date.now() - aheadMs),

    /**
     * Makes sure that a write gets the right time. What a request has written stands, so its further writes are not refused:
     * after an error the client would write it twice.
     *
     * @throws BugzillaError 503 where the clock is off
     */
    requireRight(): void {
      const { writeUnits = 0 } = currentCapacity() ?? {};
      if (aheadMs !== 0 && writeUnits === 0) throw errors.clockOff(skewText(aheadMs));
    },
  };
}

/** The milliseconds that this machine's clock is ahead, at least. */
function skewOf(at: number, sentAt: number, readAt: number): number {
  if (at < sentAt - MAX_SKEW_MS) return sentAt - at;
  return at > readAt + MAX_SKEW_MS ? readAt - at : 0;
}

function skewText(aheadMs: number): string {
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  const minutes = Math.floor(seconds / 60);
  const length = minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds % 60} s`;
  return `This machine's clock is ${length} ${aheadMs > 0 ? 'ahead of' : 'behind'} DynamoDB's: set it`;
}
