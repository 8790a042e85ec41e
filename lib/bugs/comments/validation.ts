import { characters, trimEnd } from '../../base/text.ts';
import { MAX_HOURS, parseHours } from '../../base/time.ts';
import { errors } from '../../errors.ts';
import type { BugItem } from '../schema.ts';
import { requireInsider } from './presenter.ts';
import type { CommentContent, CommentItem, PendingComment } from './schema.ts';

/** In characters. */
export const MAX_COMMENT_LENGTH = 65_535;

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

/** Checks a comment that a request adds. @throws BugzillaError for a text that is too long, and private ones of others than insiders */
export function checkContent(
  { text, is_private }: Pick<CommentContent, 'text' | 'is_private'>,
  { isInsider }: { isInsider: boolean },
): void {
  checkLength(text);
  if (is_private) requireInsider(isInsider);
}

/** Hours worked: what was worked may be taken back. */
export const parseWorkTime = (given: string): number => parseHours('work_time', given, -MAX_HOURS);

/** The remaining hours of a bug after some were worked, or taken back. @throws BugzillaError 400 where they become too many */
export function hoursLeft({ remaining_time }: Pick<BugItem, 'remaining_time'>, workTime: number): number {
  const left = Math.max(0, Number((remaining_time - workTime).toFixed(2)));
  if (left > MAX_HOURS) throw errors.hoursTooLarge('remaining_time', MAX_HOURS);
  return workTime === 0 ? remaining_time : left;
}

/** The sum of hours. Binary fractions do not add up to decimal ones, so it is rounded to six places. */
export function sumOfHours(hours: number[]): number {
  return Number(hours.reduce((sum, one) => sum + one, 0).toFixed(6));
}

/**
 * A comment as it is stored: the one place where a text is normalized.
 *
 * @param options what a request says of it beside its text
 */
export const contentOf = (
  given: string,
  { is_private = false }: { is_private?: boolean | undefined } = {},
): CommentContent => ({ text: normalizeText(given), is_private, attachment_id: null, work_time: 0 });

/** A new comment, at its position in the bug: the one way to make one. */
export const newComment = (
  { idempotency: _, ...comment }: PendingComment,
  position: Pick<CommentItem, 'count' | 'creation_time' | 'revision' | 'batch' | 'creates_attachment'>,
): CommentItem => ({ ...comment, ...position, tags: [] });
