import { timestamp } from '../../lib/base/time.ts';
import { UsageError } from '../admin/context.ts';

/** Zones whose names mean the same everywhere; abbreviations such as EST do not. */
const KNOWN_ZONE = /^(UTC|GMT|Etc\/.+|[A-Za-z]+\/[A-Za-z_/+-]+|[+-]\d{2}:?\d{2})$/;
const COLUMN = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2}))?)?/;
const DAY_MS = 86_400_000;

/** The clock of Bugzilla's server, by which its database has times without a zone. @throws UsageError where its zone is not known */
export function clockIn(zone: string) {
  const offsetAt = offsetsOf(zone);
  let skipped = 0;

  /** The instant of a time of the zone, which is given as if it were UTC. */
  function instantOf(local: number): number {
    const [before, after] = [offsetAt(local - DAY_MS), offsetAt(local + DAY_MS)];
    const fitting = [before, after]
      .map((offset) => local - offset)
      .filter((at) => at + offsetAt(at) === local);
    if (fitting.length > 0) return Math.max(...fitting);
    skipped += 1;
    let [low, high] = [local - Math.max(before, after), local - Math.min(before, after)];
    while (high - low > 1_000) {
      const middle = Math.floor((low + high) / 2_000) * 1_000;
      if (offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    return high;
  }

  return {
    zone,
    /** how many times were skipped */
    skipped: () => skipped,
    /**
     * The time of a column, as `YYYY-MM-DDThh:mm:ssZ`. Of a time that is there twice it is the later one; one that is skipped is the
     * next that exists.
     *
     * @returns undefined where there is none, or a zero date
     */
    time(text: string): string | undefined {
      const [, ...parts] = COLUMN.exec(text) ?? [];
      const [year = 0, month = 0, day = 0, hour, minute, second] = parts.map((part = '0') => Number(part));
      if (year === 0) return undefined;
      return timestamp(new Date(instantOf(Date.UTC(year, month - 1, day, hour, minute, second))));
    },
  };
}

export type Clock = ReturnType<typeof clockIn>;

/** Shows times of a zone with its distance from UTC, such as GMT+02:00. @throws UsageError where the zone is not known */
function formatIn(zone: string): Intl.DateTimeFormat {
  try {
    if (KNOWN_ZONE.test(zone))
      return new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  } catch {
    // As for a name that means several zones.
  }
  throw new UsageError(
    `The zone of the clock of Bugzilla's server is not known ('${zone}'): name it with --timezone, such as --timezone Europe/Berlin`,
  );
}

/** The distance of a zone from UTC at an instant, both in milliseconds. */
function offsetsOf(zone: string): (instant: number) => number {
  const format = formatIn(zone);
  const known = new Map<number, number>();
  const exact = (instant: number): number => {
    const shown = /GMT([+-])(\d+):(\d+)(?::(\d+))?/.exec(format.format(instant)) ?? [];
    const [, sign, hours, minutes, seconds = 0] = shown;
    if (sign === undefined) return 0;
    const distance = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
    return sign === '-' ? -distance : distance;
  };
  // Zones change at full quarters of an hour.
  return (instant) => {
    const quarter = Math.floor(instant / 900_000);
    const offset = known.get(quarter) ?? exact(quarter * 900_000);
    known.set(quarter, offset);
    return offset;
  };
}

/** The date of a column, `YYYY-MM-DD`; undefined where there is none, or a zero date. */
export function dateOf(text: string): string | undefined {
  const [date = ''] = /^\d{4}-\d{2}-\d{2}/.exec(text) ?? [];
  return date === '' || date.startsWith('0000') ? undefined : date;
}
