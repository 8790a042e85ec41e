import { errors } from '../errors.ts';
import { characters, trim } from './text.ts';

/**
 * A text of a request, trimmed.
 *
 * @param max in characters
 */
export function limitedText(parameter: string, given: string, max: number): string {
  const text = trim(given);
  if (characters(text) > max) {
    throw errors.parameterInvalid(parameter, `it is longer than ${max} characters`);
  }
  return text;
}
