import { errors } from '../errors.ts';

/** As in Bugzilla: of estimated, remaining and worked hours. */
export const MAX_HOURS = 99_999.99;
/** No number that is in range needs more digits. */
const MAX_LENGTH = 400;

/**
 * Hours from the text of a decimal number, rounded to two places; blank: 0. functions/README.md 5.3.
 *
 * @param min 0, or -MAX_HOURS where hours may be taken back
 */
export function parseHours(field: string, given: string, min: number): number {
  const text = given.trim();
  if (text === '') return 0;
  const isDecimal = text.length <= MAX_LENGTH && /^-?(\d+(\.\d*)?|\.\d+)$/.test(text);
  if (!isDecimal) throw errors.hoursInvalid(field, given);
  const hours = Number(text);
  if (hours > MAX_HOURS) throw errors.hoursTooLarge(field, MAX_HOURS);
  if (hours < min) throw errors.hoursTooSmall(field, min);
  return Number(hours.toFixed(2)) + 0;
}
