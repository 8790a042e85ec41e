import type { FieldSelection } from '../../base/field-selection.ts';
import { compareNames } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import type { CommentItem } from './schema.ts';

/**
 * The representation of a comment in responses, with the selected fields. functions/README.md 5.
 *
 * @param withTags false where tags are disabled
 */
export function presentComment(
  comment: CommentItem,
  fields: FieldSelection,
  withTags: boolean,
): Record<string, unknown> {
  const { id, bug_id, attachment_id, count, text, creator, creation_time, is_private } = comment;
  return fields.pick({
    id,
    bug_id,
    attachment_id,
    count,
    text,
    creator,
    time: creation_time,
    creation_time,
    is_private,
    ...(withTags ? { tags: comment.tags.toSorted(compareNames) } : {}),
  });
}

/** Whether a caller who sees the bug sees a comment: private ones are for insiders. */
export const isCommentShown = (
  { is_private }: Pick<CommentItem, 'is_private'>,
  isInsider: boolean,
): boolean => !is_private || isInsider;

/** Only insiders make comments and attachments private or public. */
export function requireInsider(isInsider: boolean): void {
  if (!isInsider) throw errors.privateNotAllowed();
}
