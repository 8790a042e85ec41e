import { nameFault } from '../../base/names.ts';
import { characters } from '../../base/text.ts';
import { errors } from '../../errors.ts';

export const MIN_TAG_LENGTH = 3;
export const MAX_TAG_LENGTH = 24;
/** Tags of one comment: keeps its item below DynamoDB's 400 KB. */
export const MAX_TAGS = 1_000;
const TAG = /^[\p{Alphabetic}\p{M}\p{Nd}_.-]+$/u;

/** Checks one tag. */
export function checkTag(tag: string): void {
  if (characters(tag) < MIN_TAG_LENGTH) throw errors.tagTooShort(MIN_TAG_LENGTH);
  const fault = nameFault(tag, MAX_TAG_LENGTH);
  if (fault === 'tooLong') throw errors.tagTooLong(MAX_TAG_LENGTH);
  if (fault !== undefined || !TAG.test(tag)) throw errors.tagInvalid(tag);
}

/** Whether any tag can contain `text`. */
export function canBeInTag(text: string): boolean {
  return text.length <= 2 * MAX_TAG_LENGTH && TAG.test(text);
}
