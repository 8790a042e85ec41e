import { normalizeName } from '../../base/text.ts';
import { isCommentShown } from '../../bugs/comments/permissions.ts';
import type { RecordedFlag } from '../../bugs/flags/schema.ts';
import { bugUrl } from '../../bugs/see-also.ts';
import { attachmentUrl, commentText, hasText } from './comment-text.ts';
import { identityOf, type Mail, type MailContext } from './context.ts';
import { bugHeaders, threadHeaders } from './headers.ts';
import { isMailed } from './recipients.ts';
import { MAX_LINE, wrapHard } from './wrap.ts';

const ANSWERS: Readonly<Record<string, string>> = { '+': 'granted', '-': 'denied', '?': 'requested' };
const answerOf = (after: RecordedFlag['after']): string =>
  after === undefined ? 'canceled' : (ANSWERS[after.status] ?? after.status);

/** Who is asked, or answered: the requestee of a new request, or the setter of an answered one. */
function addresseeOf({ before, after }: RecordedFlag): string | undefined {
  const isAsked = after?.status === '?';
  if (isAsked && after.requestee !== null && after.requestee !== before?.requestee) return after.requestee;
  return before?.status === '?' && !isAsked ? before.setter : undefined;
}

/**
 * The mails about flags: to who is asked or answered, and to the CC list of the flag's type. functions/mail/README.md 1
 *
 * As in Bugzilla, who asks himself, and who answers or cancels his own request, hears of it, too.
 */
export function* requestMails(context: MailContext): Generator<Mail> {
  const { change, users, changer, viewerOf, flagTypes } = context;
  const { bug, record, attachments } = change;
  for (const [index, flag] of record.flags.entries()) {
    const type = flagTypes.get(flag.type_id);
    if (type === undefined) continue;
    const attachment = flag.attachment_id === undefined ? undefined : attachments.get(flag.attachment_id);
    if (flag.attachment_id !== undefined && attachment === undefined) continue;
    const isOnBug = attachment === undefined;
    const addressee = addresseeOf(flag);
    const logins = new Map(
      [addressee ?? [], type.cc_list].flat().map((login) => [normalizeName(login), login]),
    );
    const subject = [
      `${type.name} ${answerOf(flag.after)}: [Bug ${bug.id}] ${bug.summary}`,
      ...(isOnBug ? [] : [`[Attachment ${attachment.id}] ${attachment.summary}`]),
    ].join(' : ');
    for (const login of logins.keys()) {
      const user = users.get(login);
      if (user === undefined || !isMailed(user)) continue;
      const viewer = viewerOf(user);
      const isHidden = !isOnBug && attachment.is_private && !viewer.isInsider;
      if (isHidden || !viewer.maySee(bug)) continue;
      const comments = isOnBug
        ? change.comments.filter((one) => hasText(one) && isCommentShown(one, viewer.isInsider))
        : [];
      yield {
        ...{ recipient: user, changer: changer?.id ?? 0, type: 'request', id: `request_${index}` },
        ...{ subject, hasHtml: false },
        headers: {
          'X-Bugzilla-Type': 'request',
          ...bugHeaders(context),
          ...threadHeaders(context, user),
        },
        text: () =>
          [
            `${wrapped(sentenceOf(flag, type.name, context))}\n`,
            `${wrapped(`Bug ${bug.id}: ${bug.summary}`)}\n${bugUrl(context.base, bug.id)}\n`,
            isOnBug
              ? ''
              : `\n${wrapped(`Attachment ${attachment.id}: ${attachment.summary}`)}\n${attachmentUrl(context.base, attachment.id)}&action=edit\n`,
            ...comments.map((comment) => {
              const author = identityOf(comment.creator, users);
              const shown = commentText(comment, author, context, true);
              return `\n\n\n${comment.count === 0 ? '--- Description ---\n' : ''}${shown}\n`;
            }),
          ].join(''),
      };
    }
  }
}

/** A line of a mail about a flag: wrapped, with words cut that are longer than a line. */
const wrapped = (line: string): string => wrapHard(line, MAX_LINE).join('\n');

/** What happened to a flag, in one sentence. */
function sentenceOf({ before, after }: RecordedFlag, name: string, { change, users }: MailContext): string {
  const identity = (login: string) => identityOf(login, users);
  const who = identity(change.who);
  const isAsked = after?.status === '?';
  if (isAsked && before?.status === '?' && normalizeName(before.setter) !== normalizeName(change.who)) {
    const to = after.requestee === null ? 'nobody' : identity(after.requestee);
    return `${who} has reassigned ${identity(before.setter)}'s request for ${name} to ${to}:`;
  }
  if (isAsked)
    return `${who} has asked ${after.requestee === null ? '' : `${identity(after.requestee)} `}for ${name}:`;
  if (before?.status !== '?') return `${who} has ${answerOf(after)} ${name}:`;
  const whose = before.requestee === null ? '' : `${identity(before.requestee)}'s `;
  return `${who} has ${answerOf(after)} ${identity(before.setter)}'s request for ${whose}${name}:`;
}
