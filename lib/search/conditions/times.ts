import { parseLooseTime } from '../../base/loose-time.ts';
import { timestamp } from '../../base/time.ts';
import { errors } from '../../errors.ts';

const RELATIVE = /^([+-]?)(\d+)([hdwmy])(s?)$/i;

/**
 * A relative time: `now`, `-1d`, `2w` (ago, as `-2w`), `+3h`; with `s` from the beginning of that hour, day,
 * week, month or year.
 *
 * @returns undefined when it is not one of these
 */
export function parseRelativeTime(given: string, now: Date): string | undefined {
  const text = given.trim();
  if (text.toLowerCase() === 'now') return `${timestamp(now).slice(0, 10)}T00:00:00Z`;
  const [, sign, count, unit = '', start] = RELATIVE.exec(text) ?? [];
  if (count === undefined) return undefined;
  const amount = Math.min(Number(count), 100_000) * (sign === '+' ? 1 : -1);
  const time = new Date(now);
  if (start !== '' || amount === 0) toStart(time, unit.toLowerCase());
  SHIFTS[unit.toLowerCase()]?.(time, amount);
  const year = time.getUTCFullYear();
  return year >= 0 && year <= 9999 ? timestamp(time) : undefined;
}

/** Sets a time to the beginning of its hour, day, week, month or year. */
function toStart(time: Date, unit: string): void {
  time.setUTCMinutes(0, 0, 0);
  if (unit === 'h') return;
  time.setUTCHours(0);
  if (unit === 'w') time.setUTCDate(time.getUTCDate() - time.getUTCDay());
  if (unit === 'm' || unit === 'y') time.setUTCDate(1);
  if (unit === 'y') time.setUTCMonth(0);
}

const SHIFTS: Readonly<Record<string, (time: Date, amount: number) => void>> = {
  h: (time, amount) => time.setUTCHours(time.getUTCHours() + amount),
  d: (time, amount) => time.setUTCDate(time.getUTCDate() + amount),
  w: (time, amount) => time.setUTCDate(time.getUTCDate() + 7 * amount),
  m: (time, amount) => time.setUTCMonth(time.getUTCMonth() + amount),
  y: (time, amount) => time.setUTCFullYear(time.getUTCFullYear() + amount),
};

/** What only searches take: digits of a date and time, a month, and seconds since 1970. */
const COMPACT = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/;
const MONTH = /^(\d{4})-(\d\d?)$/;
const EPOCH = /^\d{9,10}(?:\.\d+)?$/;
const QUOTED = /^\s*(["'])(.*)\1\s*$/;

/**
 * A time of a search, relative or in any spelling that Bugzilla reads there, perhaps in quotes.
 *
 * @returns undefined when it is not one of these
 */
export function parseSearchTime(given: string, now: Date): string | undefined {
  const text = unquotedTime(given);
  const relative = parseRelativeTime(text, now);
  if (relative !== undefined) return relative;
  if (EPOCH.test(text.trim())) return timestamp(new Date(Number(text) * 1_000));
  return parseLooseTime(text.trim().replace(COMPACT, '$1-$2-$3 $4:$5:$6').replace(MONTH, '$1-$2-01'));
}

/** The text of a time that may be in quotes. */
export const unquotedTime = (given: string): string => QUOTED.exec(given)?.[2] ?? given;

/** A time as bugs show it. */
export function readTime(field: string, text: string, now: Date): string {
  const time = parseSearchTime(text, now);
  if (time === undefined) throw errors.timeNotRecognized(field, text);
  return time;
}
