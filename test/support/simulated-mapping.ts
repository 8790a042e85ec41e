import type { Series } from './evaluate-alarm.ts';

export const MINUTE_MS = 60_000;
const PERIOD_MINUTES = 5;

/** A record of a stream by the minute in which it was written. */
export interface TimedRecord {
  minute: number;
  record: unknown;
}

/**
 * The function `events`, called for what is left of a shard.
 *
 * @returns how many records are done, from the first of them on; `refused` is what it counts in its metric
 */
export type Consume = (
  records: readonly unknown[],
  minute: number,
) => Promise<{ done: number; refused: number }>;

/** What CloudWatch has of a run, by periods of five minutes. */
export interface Metrics {
  IteratorAge: Series;
  EventsRefused: Series;
  /** runs of the function that failed */
  failedRuns: Series;
}

/**
 * Lambda's event source mapping on a simulated clock: once a minute it gives the function all records of a shard that were written
 * and are not done, at most 100, as often as some of them were done.
 *
 * @param minutes how long it runs
 */
export async function runMapping(
  written: readonly TimedRecord[],
  consume: Consume,
  minutes: number,
): Promise<Metrics> {
  const periods = Math.ceil(minutes / PERIOD_MINUTES);
  const series = () => Array.from({ length: periods }, (): number | undefined => undefined);
  const [ages, refusals, failures] = [series(), series(), series()];
  const add = (of: (number | undefined)[], period: number, value: number) => {
    if (value > 0) of[period] = (of[period] ?? 0) + value;
  };
  let left = [...written];
  for (let minute = 0; minute < minutes; minute += 1) {
    const period = Math.floor(minute / PERIOD_MINUTES);
    for (;;) {
      const batch = left.filter((one) => one.minute <= minute).slice(0, 100);
      const [first] = batch;
      if (first === undefined) break;
      ages[period] = Math.max(ages[period] ?? 0, (minute - first.minute) * MINUTE_MS);
      const result = await consume(
        batch.map(({ record }) => record),
        minute,
      ).catch(() => undefined);
      add(failures, period, result === undefined ? 1 : 0);
      add(refusals, period, result?.refused ?? 0);
      left = left.slice(result?.done ?? 0);
      if ((result?.done ?? 0) === 0) break;
    }
  }
  return { IteratorAge: ages, EventsRefused: refusals, failedRuns: failures };
}
