import { distinctNames, nameFault } from '../base/names.ts';
import { bytes, characters, normalizeName, truncated } from '../base/text.ts';
import { parseTime } from '../base/time.ts';
import { errors } from '../errors.ts';

export const MAX_SUMMARY_LENGTH = 255;
export const MAX_ALIAS_LENGTH = 40;
/** So that an item of the history has room for two texts before and after a change: DynamoDB allows 400 KB. */
const MAX_TEXT_BYTES = 65_535;

/** On one line, trimmed; runs of control characters become a space. */
const onOneLine = (text: string): string => text.replace(/\p{Cc}+/gu, ' ').trim();

/** A bug's summary on one line, trimmed. */
export function checkSummary(given: string): string {
  const summary = onOneLine(given);
  if (summary === '') throw errors.summaryMissing();
  if (characters(summary) > MAX_SUMMARY_LENGTH) throw errors.summaryTooLong(MAX_SUMMARY_LENGTH);
  return summary;
}

/** The rule that a summary in a catalogue breaks; undefined when it is valid. */
export function summaryProblem(summary: string): string | undefined {
  if (summary.trim() === '') return 'must not be blank';
  if (onOneLine(summary) !== summary) {
    return 'must be one line without control characters, and must not begin or end with white space';
  }
  return characters(summary) > MAX_SUMMARY_LENGTH
    ? `must have at most ${MAX_SUMMARY_LENGTH} characters`
    : undefined;
}

const NO_SUMMARY = '(no summary)';

/** The valid summary that is the closest to an invalid one. */
export const repairSummary = (summary: string): string =>
  [...onOneLine(summary)].slice(0, MAX_SUMMARY_LENGTH).join('').trim() || NO_SUMMARY;

/** A text that is stored with the bug, and before and after a change in its history. */
export function checkText(field: string, given: string): string {
  if (textProblem(given) === undefined) return given;
  throw errors.parameterInvalid(field, `it is longer than ${MAX_TEXT_BYTES} bytes`);
}

/** The rule that a text in a catalogue breaks; undefined when it is valid. */
export const textProblem = (text: string): string | undefined =>
  bytes(text) <= MAX_TEXT_BYTES ? undefined : `must have at most ${MAX_TEXT_BYTES} bytes`;

/** The valid beginning of a text that is too long. */
export const repairText = (text: string): string => truncated(text, MAX_TEXT_BYTES);

/** Segments of other paths below /rest/bug/, and those that URLs resolve. */
const RESERVED_ALIASES = new Set(['comment', 'attachment', '.', '..']);

/** Whether a bug can be addressed by an alias: `/rest/bug/<alias>`, and in lists of aliases. */
export function isAlias(alias: string): boolean {
  return (
    nameFault(alias, MAX_ALIAS_LENGTH) === undefined &&
    !/^\d*$|[\s,/\\]/.test(alias) &&
    !RESERVED_ALIASES.has(normalizeName(alias))
  );
}

/** Aliases trimmed, each once in whatever case it is repeated, without blank ones. */
export function checkAliases(given: readonly string[]): string[] {
  const aliases = given.map((alias) => alias.trim()).filter((alias) => alias !== '');
  for (const alias of aliases) if (!isAlias(alias)) throw errors.aliasInvalid(alias, MAX_ALIAS_LENGTH);
  return distinctNames(aliases);
}

/** A name among others in its own spelling, found in any case, trimmed; absent: undefined. */
export function findName(names: Iterable<string>, given: string): string | undefined {
  const normalized = normalizeName(given.trim());
  for (const name of names) if (normalizeName(name) === normalized) return name;
  return undefined;
}

/** A legal value of a field in its own spelling, found in any case. */
export function checkValue(field: string, legal: readonly string[], given: string): string {
  if (given.trim() === '') throw errors.parameterMissing(field);
  const value = findName(legal, given);
  if (value === undefined) throw errors.valueUnknown(field, given, legal);
  return value;
}

/** A deadline as `YYYY-MM-DD`, from a date whose month and day may have one digit; blank: null. */
export function parseDeadline(given: string): string | null {
  const text = given.trim();
  if (text === '') return null;
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text) ?? [];
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (parseTime(date) === undefined) throw errors.dateNotRecognized('deadline', given);
  return date;
}
