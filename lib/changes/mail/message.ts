import MailComposer from 'nodemailer/lib/mail-composer';
import { encodeWord } from 'nodemailer/lib/mime-funcs';
import type { SentMail } from './context.ts';
import { printable } from './wrap.ts';

/** Line breaks and other control characters, which a header cannot have. */
const CONTROL = /[\p{Cc}\u2028\u2029]+/gu;

const inHeader = (text: string): string => text.replaceAll(CONTROL, ' ').toWellFormed();

/** Of an encoded word: with the longest name of a header it fits a line of 76 characters (RFC 2047). */
const MAX_WORD = 40;

/**
 * The value of a header. A text that looks like an encoded word is encoded: nodemailer would leave it as it is, and readers
 * would decode it to something else, which may have line breaks.
 */
function headerValue(text: string): string | { prepared: boolean; value: string } {
  const value = inHeader(text);
  if (!value.includes('=?')) return value;
  return { prepared: true, value: encodeWord(value, 'Q', MAX_WORD).replaceAll(' ', '\r\n ') };
}

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The text of a mail as HTML: for readers that show nothing else. */
export const toHtml = (text: string): string =>
  `<!DOCTYPE html>\n<html><body><pre style="font-family: monospace; white-space: pre-wrap">${text.replaceAll(
    /[&<>"']/g,
    (character) => ESCAPED[character] ?? '',
  )}</pre></body></html>\n`;

/**
 * A mail as a MIME message, with lines that end with CR LF (RFC 5322). Encodings and the folding of headers are nodemailer's.
 *
 * @param from address
 */
export function rawMessage(
  { recipient, subject, headers, text, hasHtml }: SentMail,
  { from, replyTo }: { from: string; replyTo: string | undefined },
): Promise<Buffer> {
  const plain = printable(text());
  const named = Object.entries({ Subject: subject, ...headers });
  const composer = new MailComposer({
    newline: 'windows',
    // As an object, it is one address, whatever is in it.
    from: { name: '', address: from },
    to: { name: '', address: recipient.login },
    ...(replyTo === undefined ? {} : { replyTo }),
    headers: Object.fromEntries(named.map(([name, value]) => [name, headerValue(value)])),
    text: plain,
    ...(hasHtml ? { html: toHtml(plain) } : {}),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return new Promise((resolve, reject) => {
    composer.compile().build((error, message) => (error === null ? resolve(message) : reject(error)));
  });
}
