import type { CommentContent, CommentItem, PendingComment } from './schema.ts';
import { normalizeText } from './validation.ts';

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
