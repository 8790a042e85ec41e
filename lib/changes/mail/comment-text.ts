import { withPresentSummary } from '../../bugs/attachments/presenter.ts';
import type { CommentItem } from '../../bugs/comments/schema.ts';
import type { MailContext } from './context.ts';
import { wrapText } from './wrap.ts';

/** The address of an attachment. */
export const attachmentUrl = (base: string, id: number): string => `${base}attachment.cgi?id=${id}`;

/**
 * A comment as mails have it, without a line break at the end.
 *
 * @param author as mails name him
 * @param isNew whether the mail is about a new bug: its description has no heading
 */
export function commentText(
  { count, text, attachment_id, is_private: isPrivate }: CommentItem,
  author: string,
  { change: { attachments }, rules: { base } }: MailContext,
  isNew: boolean,
): string {
  const attachment = attachment_id === null ? undefined : attachments.get(attachment_id);
  // A public comment may be about an attachment that has become private since, with another summary.
  const hasSummary = attachment !== undefined && (isPrivate || !attachment.is_private);
  const present = hasSummary ? withPresentSummary(text, attachment.summary) : withBlankLines(text);
  const body = wrapText(present);
  const linked = attachment_id === null ? body : withLink(body, attachment_id, base);
  return isNew && count === 0 ? linked : `--- Comment #${count} from ${author} ---\n${linked}`;
}

/** Whether a comment has a text; others have hours only, and no mail shows them. */
export const hasText = ({ text }: Pick<CommentItem, 'text'>): boolean => /\S/.test(text);

/** What Bugzilla writes about a duplicate stands below the text of the comment, even if that is empty. */
const withBlankLines = (text: string): string =>
  /^\*\*\* This bug has been marked as a duplicate of bug \d+ \*\*\*$/.test(text) ? `\n\n${text}` : text;

/** The address of an attachment stands below the line that names it. */
const withLink = (text: string, id: number, base: string): string =>
  text
    .replace(/^Created attachment \d+\n/, (line) => `${line}  --> ${attachmentUrl(base, id)}&action=edit\n`)
    .replace(/^Comment on attachment \d+\n/, (line) => `${line}  --> ${attachmentUrl(base, id)}\n`);
