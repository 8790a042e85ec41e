import { errors } from '../errors.ts';
import { characters, trimEnd } from '../text.ts';

/** In characters. */
export const MAX_COMMENT_LENGTH = 65_535;
/** As in Bugzilla; also of estimated and remaining hours. */
export const MAX_HOURS = 99_999.99;
/** No number that is in range needs more digits. */
const MAX_HOURS_LENGTH = 400;

/** A comment's text as it is stored: line ends are `\n`, white space at the end is dropped, at the start kept. */
export function normalizeText(given: string): string {
  return trimEnd(given.replace(/\r\n?/g, '\n'));
}

/** Refuses a text that is longer than a comment may be. */
export function checkLength(text: string): void {
  if (text.length > MAX_COMMENT_LENGTH && characters(text) > MAX_COMMENT_LENGTH) {
    throw errors.commentTooLong(MAX_COMMENT_LENGTH);
  }
}

/** Hours worked, from a decimal number or its text, rounded to two places; blank: 0. */
export function parseWorkTime(given: string): number {
  const text = given.trim();
  if (text === '') return 0;
  const isDecimal = text.length <= MAX_HOURS_LENGTH && /^-?(\d+(\.\d*)?|\.\d+)$/.test(text);
  const hours = isDecimal ? Number(text) : Number.NaN;
  if (!Number.isFinite(hours)) throw errors.workTimeNotNumber(given);
  if (hours > MAX_HOURS) throw errors.workTimeTooLarge();
  if (hours < -MAX_HOURS) throw errors.workTimeTooSmall();
  return Number(hours.toFixed(2)) + 0;
}

/** The sum of hours. Binary fractions do not add up to decimal ones, so it is rounded to six places. */
export function sumOfHours(hours: number[]): number {
  return Number(hours.reduce((sum, one) => sum + one, 0).toFixed(6));
}
