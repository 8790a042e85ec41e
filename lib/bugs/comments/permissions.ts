import { errors } from '../../errors.ts';
import type { CommentItem } from './schema.ts';

/** Whether a caller who sees the bug sees a comment: private ones are for insiders. */
export const isCommentShown = (
  { is_private }: Pick<CommentItem, 'is_private'>,
  isInsider: boolean,
): boolean => !is_private || isInsider;

/** Only insiders make comments and attachments private or public. */
export function requireInsider(isInsider: boolean): void {
  if (!isInsider) throw errors.privateNotAllowed();
}
