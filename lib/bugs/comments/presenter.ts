import type { FieldSelection } from '../../base/field-selection.ts';
import { compareNames } from '../../base/text.ts';
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
