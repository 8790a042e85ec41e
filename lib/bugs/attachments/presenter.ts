import type { FieldSelection } from '../../base/field-selection.ts';
import { type Caller, isCaller } from '../../people/caller.ts';
import type { FlagTypeItem } from '../../products/schema.ts';
import { presentFlags } from '../flags/set-flags.ts';
import type { AttachmentItem } from './schema.ts';

/**
 * An attachment in the interface, with the selected fields.
 *
 * @param data base64; undefined: not selected
 * @param flagTypes those that its flags may have
 */
export function presentAttachment(
  { parts: _, revision: __, ...attachment }: AttachmentItem,
  data: string | undefined,
  flagTypes: readonly FlagTypeItem[],
  fields: FieldSelection,
): Record<string, unknown> {
  return fields.pick({
    ...attachment,
    is_patch: Number(attachment.is_patch),
    is_private: Number(attachment.is_private),
    is_obsolete: Number(attachment.is_obsolete),
    flags: presentFlags(attachment.flags, flagTypes),
    ...(data === undefined ? {} : { data }),
  });
}

const HEADING = /^((?:Created|Comment on) attachment (\d+))\n[^\n]*/;

/** The first two lines of a comment on an attachment: what it is about, and the summary, whose lines are joined. */
export const attachmentHeading = (
  kind: 'Created' | 'Comment on',
  { id, summary }: Pick<AttachmentItem, 'id' | 'summary'>,
): string => `${kind} attachment ${id}\n${summary.replace(/\s*\n\s*/g, ' ')}`;

/** The text of a comment on an attachment, with the present summary of that. */
export const withPresentSummary = (text: string, summary: string): string =>
  text.replace(HEADING, (_, heading) => `${heading}\n${summary}`);

/**
 * A comment on an attachment with its present summary.
 *
 * @param summaries of attachments that the reader sees, by id
 */
export function withSummary<T extends { text: string; attachment_id: number | null }>(
  comment: T,
  summaries: ReadonlyMap<number, string>,
): T {
  const summary = summaries.get(comment.attachment_id ?? 0);
  return summary === undefined ? comment : { ...comment, text: withPresentSummary(comment.text, summary) };
}

/** A comment's own words, without the first lines of those on attachments. */
export const ownWords = (text: string, attachment: number | null): string =>
  attachment === null ? text : text.replace(HEADING, '').replace(/^\n\n/, '');

/** Whether a caller who sees the bug sees an attachment: private ones are for insiders and their creator. */
export const isAttachmentShown = (
  { is_private, creator }: Pick<AttachmentItem, 'is_private' | 'creator'>,
  caller: Caller,
  isInsider: boolean,
): boolean => !is_private || isInsider || isCaller(caller, creator);
