import { errors } from '../errors.ts';
import { characters, hasInvisibleCharacter } from '../text.ts';

const MIN_TAG_LENGTH = 3;
const MAX_TAG_LENGTH = 24;
/** Of one comment: keeps its item below DynamoDB's 400 KB. */
export const MAX_TAGS = 1_000;
const TAG = /^[\p{Alphabetic}\p{M}\p{Nd}_.-]+$/u;

/** Checks one tag. */
export function checkTag(tag: string): void {
  const length = characters(tag);
  if (length < MIN_TAG_LENGTH) throw errors.tagTooShort(MIN_TAG_LENGTH);
  if (length > MAX_TAG_LENGTH) throw errors.tagTooLong(MAX_TAG_LENGTH);
  if (!TAG.test(tag) || hasInvisibleCharacter(tag)) throw errors.tagInvalid(tag);
}

/** Whether any tag can contain `text`. */
export function canBeInTag(text: string): boolean {
  return text.length <= 2 * MAX_TAG_LENGTH && TAG.test(text);
}
