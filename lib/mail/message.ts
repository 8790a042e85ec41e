import MailComposer from 'nodemailer/lib/mail-composer';
import type { Mail } from './context.ts';
import { toHtml } from './html.ts';
import { printable } from './wrap.ts';

/** Line breaks and other control characters, which a header cannot have. */
const CONTROL = /[\p{Cc}\u2028\u2029]+/gu;

const inHeader = (text: string): string => text.replaceAll(CONTROL, ' ').toWellFormed();

/**
 * A mail as a MIME message. Encodings and the folding of headers are nodemailer's.
 *
 * @param from address
 */
export function rawMessage(
  { recipient, subject, headers, text, hasHtml }: Mail,
  { from, replyTo }: { from: string; replyTo: string | undefined },
): Promise<Buffer> {
  const plain = printable(text());
  const composer = new MailComposer({
    // As an object, it is one address, whatever is in it.
    from: { name: '', address: from },
    to: { name: inHeader(recipient.real_name), address: recipient.login },
    ...(replyTo === undefined ? {} : { replyTo }),
    subject: inHeader(subject),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, inHeader(value)])),
    text: plain,
    ...(hasHtml ? { html: toHtml(plain) } : {}),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return new Promise((resolve, reject) => {
    composer.compile().build((error, message) => (error === null ? resolve(message) : reject(error)));
  });
}
