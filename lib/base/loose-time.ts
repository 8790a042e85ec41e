import { isZoneName, parseTime, timeOf } from './time.ts';

const MONTH_NAMES = [
  ...['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october'],
  ...['november', 'december'],
];
const DAY = /^(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\.?$/;
const ZONE = String.raw`z|[+-]\d\d?(?::?\d\d)?`;

type Parts = Record<string, string | undefined>;

/** What a word may be, as Date::Parse reads it; each names the parts that it gives. */
const WORDS: readonly RegExp[] = [
  /^(?<year>\d{4})[-/.](?<month>\d\d?)[-/.](?<day>\d\d?)$/,
  /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)$/,
  /^(?<month>\d\d?)[-/.](?<day>\d\d?)[-/.](?<year>\d{4}|\d\d)$/,
  /^(?<day>\d\d?)[-/.]?(?<monthName>[a-z]+)[-/.]?(?<year>\d{4}|\d\d)$/,
  /^(?<year>\d{4})$/,
  /^(?<day>\d\d?)(?:st|nd|rd|th)?$/,
  new RegExp(
    `^(?<hour>\\d\\d?):(?<minute>\\d\\d)(?::(?<second>\\d\\d)(?:[.,]\\d+)?)?(?<half>[ap]\\.?m\\.?)?(?<zone>${ZONE})?$`,
  ),
  new RegExp(`^(?<hour>\\d\\d)(?<minute>\\d\\d)(?<second>\\d\\d)(?:[.,]\\d+)?(?<zone>${ZONE})?$`),
  /^(?<hour>\d\d?)(?<half>[ap]\.?m\.?)$/,
  /^(?<half>[ap]\.?m\.?)$/,
  new RegExp(`^(?<zone>${ZONE})$`),
];

/**
 * Parses a time in the spellings that Bugzilla reads (Date::Parse): beside those of `parseTime` month names, `11/08/2016` (the month
 * first), `3pm`, names of zones. A word at the end that means nothing is ignored, as an unknown zone is. A time of day alone is of
 * the first day of 1900, as in Bugzilla; of a year of two digits the nearest is meant.
 *
 * @returns the time as `timestamp` formats it; undefined when it is invalid
 */
export function parseLooseTime(given: string): string | undefined {
  const strict = parseTime(given);
  if (strict !== undefined) return strict;
  if (isZoneAlone(given)) return timeOf({ year: '1900', month: '1', day: '1' });
  const words = given
    .toLowerCase()
    .replaceAll(/\([^()]*\)|,/g, ' ')
    .replace(/(\d{4}[-/.]?\d\d?[-/.]?\d\d?)t(?=\d)/, '$1 ')
    .split(/\s+/)
    .filter((word) => word !== '' && !DAY.test(word));
  const parts: Parts = {};
  for (const [index, word] of words.entries()) {
    const read = partsOf(word);
    const isLast = index === words.length - 1;
    if (read === undefined && isLast && index > 0 && /^[a-z][a-z/_]*$/.test(word)) break;
    if (read === undefined || Object.keys(read).some((name) => parts[name] !== undefined)) return undefined;
    Object.assign(parts, read);
  }
  return ofParts(parts);
}

/** Whether Date::Parse takes a text for a zone without a date: one digit, perhaps with a sign. */
export const isZoneAlone = (given: string): boolean => /^\s*[+-]?\d\s*$/.test(given);

function partsOf(word: string): Parts | undefined {
  if (isMonth(word)) return { monthName: word };
  for (const form of WORDS) {
    const groups = form.exec(word)?.groups;
    if (groups === undefined || (groups['monthName'] !== undefined && !isMonth(groups['monthName'])))
      continue;
    return Object.fromEntries(Object.entries(groups).filter(([, value]) => value !== undefined));
  }
  return isZoneName(word) ? { zone: word } : undefined;
}

const isMonth = (word: string): boolean =>
  word.length >= 3 && MONTH_NAMES.some((name) => name.startsWith(word.replace(/\.$/, '')));

function ofParts({ half, monthName, ...parts }: Parts): string | undefined {
  const hasDate = [parts['year'], parts['month'], parts['day'], monthName].some((one) => one !== undefined);
  if (!hasDate && parts['hour'] === undefined) return undefined;
  const hour = Number(parts['hour'] ?? 0);
  if (half !== undefined && (hour < 1 || hour > 12)) return undefined;
  const { year = hasDate ? undefined : '1900' } = parts;
  if (year === undefined) return undefined;
  return timeOf({
    month: '1',
    day: '1',
    ...parts,
    ...(monthName === undefined ? {} : { monthName: monthName.slice(0, 3) }),
    year: year.length > 2 ? year : String(Number(year) + (Number(year) < 69 ? 2_000 : 1_900)),
    hour: String(half === undefined ? hour : (hour % 12) + (half.startsWith('p') ? 12 : 0)),
  });
}
