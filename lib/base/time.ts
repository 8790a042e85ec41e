import { errors } from '../errors.ts';

/** This machine's clock, for logs and what runs on this machine alone; what the table has goes by the table's (`Table.now`). */
export const machineTime = (): Date => new Date();

/** Formats a time as responses have it: `YYYY-MM-DDThh:mm:ssZ`. functions/README.md 5. */
export function timestamp(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

const TIME_OF_DAY = String.raw`(?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,]\d+)?)?`;
/** An unencoded `+` in a query string arrives as a space. */
const OFFSET = String.raw`Z|[+ -]\d{2}(?::?\d{2})?`;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** UTC offsets in hours of the zone names of RFC 2822, and others that Bugzilla knows. */
const NAMED_ZONES = new Map([
  ['ut', 0],
  ['gmt', 0],
  ['utc', 0],
  ['est', -5],
  ['edt', -4],
  ['cst', -6],
  ['cdt', -5],
  ['mst', -7],
  ['mdt', -6],
  ['pst', -8],
  ['pdt', -7],
  ['z', 0],
  ['wet', 0],
  ['bst', 1],
  ['cet', 1],
  ['met', 1],
  ['mez', 1],
  ['cest', 2],
  ['mest', 2],
  ['eet', 2],
  ['eest', 3],
  ['msk', 3],
  ['hkt', 8],
  ['jst', 9],
  ['kst', 9],
  ['aest', 10],
  ['aedt', 11],
  ['nzst', 12],
  ['nzdt', 13],
  ['ast', -4],
  ['adt', -3],
  ['akst', -9],
  ['akdt', -8],
  ['hst', -10],
]);

/** Whether a word is the name of a zone, in any case. */
export const isZoneName = (word: string): boolean => NAMED_ZONES.has(word.toLowerCase());

/** The accepted formats, each with named groups. */
const FORMATS = [
  // 2024-01-02, 2024-01-02T03:04, 2024-01-02 03:04:05.678+01:00
  new RegExp(
    `^(?<year>\\d{4})-(?<month>\\d{2})-(?<day>\\d{2})(?:[T ]${TIME_OF_DAY}(?: ?(?<zone>${OFFSET}))?)?$`,
    'i',
  ),
  // 20240102, 20240102T030405Z
  new RegExp(
    `^(?<year>\\d{4})(?<month>\\d{2})(?<day>\\d{2})(?:T(?<hour>\\d{2})(?<minute>\\d{2})(?:(?<second>\\d{2})(?:[.,]\\d+)?)?(?<zone>${OFFSET})?)?$`,
    'i',
  ),
  // 20240102T03:04:05Z
  new RegExp(`^(?<year>\\d{4})(?<month>\\d{2})(?<day>\\d{2})T${TIME_OF_DAY}(?<zone>${OFFSET})?$`, 'i'),
  // 2024/01/02, 2024/01/02 03:04
  new RegExp(
    `^(?<year>\\d{4})/(?<month>\\d{2})/(?<day>\\d{2})(?: ${TIME_OF_DAY}(?: ?(?<zone>${OFFSET}))?)?$`,
    'i',
  ),
  // Tue, 2 Jan 2024 03:04:05 GMT
  new RegExp(
    `^(?:[a-z]{3}, ?)?(?<day>\\d{1,2}) (?<monthName>[a-z]{3}) (?<year>\\d{4}) ${TIME_OF_DAY}(?: (?<zone>${OFFSET}|[a-z]{2,3}))?$`,
    'i',
  ),
];

/**
 * Parses a time in a format of ISO 8601, `YYYY/MM/DD`, or RFC 2822; without a zone it is UTC.
 * functions/README.md 5 (new_since).
 *
 * @returns the time as `timestamp` formats it; undefined when it is invalid
 */
export function parseTime(given: string): string | undefined {
  for (const format of FORMATS) {
    const groups = format.exec(given.trim())?.groups;
    if (groups !== undefined) return timeOf(groups);
  }
  return undefined;
}

/** The time of named parts, as `timestamp` formats it; undefined: there is none. */
export function timeOf(groups: Record<string, string | undefined>): string | undefined {
  const number = (name: string) => Number(groups[name] ?? 0);
  const monthName = groups['monthName']?.toLowerCase();
  const month = monthName === undefined ? number('month') : MONTHS.indexOf(monthName) + 1;
  const offset = offsetMinutes(groups['zone']);
  const time = new Date(0);
  time.setUTCFullYear(number('year'), month - 1, number('day'));
  const exists = time.getUTCMonth() === month - 1 && time.getUTCDate() === number('day');
  const isTimeOfDay = number('hour') < 24 && number('minute') < 60 && number('second') < 60;
  if (!exists || !isTimeOfDay || offset === undefined) return undefined;
  time.setUTCHours(number('hour'), number('minute') - offset, number('second'));
  const hasFourDigits = time.getUTCFullYear() >= 0 && time.getUTCFullYear() <= 9999;
  return hasFourDigits ? timestamp(time) : undefined;
}

function offsetMinutes(zone = 'Z'): number | undefined {
  if (zone.toUpperCase() === 'Z') return 0;
  const parts = /^([+ -])(\d\d?):?(\d{2})?$/.exec(zone);
  if (parts === null) {
    const hours = NAMED_ZONES.get(zone.toLowerCase());
    return hours === undefined ? undefined : hours * 60;
  }
  const [, sign, hours, minutes = '0'] = parts;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** As in Bugzilla: of estimated, remaining and worked hours. */
export const MAX_HOURS = 99_999.99;
/** No number that is in range needs more digits. */
const MAX_HOURS_LENGTH = 400;

/**
 * Hours from the text of a decimal number, rounded to two places; blank: 0. functions/README.md 5.3.
 *
 * @param min 0, or -MAX_HOURS where hours may be taken back
 */
export function parseHours(field: string, given: string, min: number): number {
  const text = given.trim();
  if (text === '') return 0;
  const isDecimal = text.length <= MAX_HOURS_LENGTH && /^-?(\d+(\.\d*)?|\.\d+)$/.test(text);
  if (!isDecimal) throw errors.hoursInvalid(field, given);
  const hours = Number(text);
  if (hours > MAX_HOURS) throw errors.hoursTooLarge(field, MAX_HOURS);
  if (hours < min) throw errors.hoursTooSmall(field, min);
  return Number(hours.toFixed(2)) + 0;
}
