import { errors } from '../errors.ts';
import { characters } from '../text.ts';

const MAX_COMMENT_LENGTH = 65_535;
const MAX_HOURS = 99_999.99;
/** Unicode has one character more for white space than JavaScript's `trim` knows: U+0085, next line. */
const WHITE_SPACE = /^[\s\u0085]$/;

/**
 * A comment's text as it is kept: line ends are `\n`, white space at the end is dropped, at the start kept.
 * REFERENCE.md 5.
 */
export function normalizeText(given: string): string {
  const text = given.replace(/\r\n?/g, '\n');
  let end = text.length;
  while (end > 0 && WHITE_SPACE.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** @throws errors.commentTooLong (400, 114) over 65,535 characters; REFERENCE.md 5 */
export function checkLength(text: string): void {
  if (text.length > MAX_COMMENT_LENGTH && characters(text) > MAX_COMMENT_LENGTH) {
    throw errors.commentTooLong(MAX_COMMENT_LENGTH);
  }
}

/**
 * Hours worked, of a decimal number or its text; blank: none.
 *
 * @throws errors.workTimeNotNumber (400, 52), errors.workTimeTooLarge (400, 54), errors.workTimeTooSmall (400, 55); REFERENCE.md 5
 */
export function parseWorkTime(given: string): number {
  const text = given.trim();
  if (text === '') return 0;
  if (!/^-?(\d+(\.\d*)?|\.\d+)$/.test(text)) throw errors.workTimeNotNumber(given);
  const hours = Number(text);
  if (hours > MAX_HOURS) throw errors.workTimeTooLarge();
  if (hours < -MAX_HOURS) throw errors.workTimeTooSmall();
  return hours;
}

/** Hours of several comments. Binary fractions do not add up to decimal ones; no more digits than these are meant. */
export function sumOfHours(hours: number[]): number {
  return Number(hours.reduce((sum, one) => sum + one, 0).toFixed(6));
}
