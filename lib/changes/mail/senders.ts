import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SESv2Client, SESv2ServiceException, SendEmailCommand } from '@aws-sdk/client-sesv2';
import MailComposer from 'nodemailer/lib/mail-composer';
import { encodeWord } from 'nodemailer/lib/mime-funcs';
import * as z from 'zod/mini';
import { DEFAULT_SIGN_IN_LIMITS } from '../../people/schema.ts';
import { type Environment, optionalSetting, readEnvironment } from '../../settings.ts';
import { retry } from '../../table/retry.ts';
import type { SentMail } from './context.ts';
import { NotSent, Undeliverable } from './deliver.ts';
import { ADDRESS } from './options.ts';
import { printable } from './wrap.ts';

type Sender = (mail: SentMail) => Promise<void>;

/** Errors of Amazon SES that are the recipient's, or the message's. */
const UNDELIVERABLE: ReadonlySet<string> = new Set(['MessageRejected', 'BadRequestException']);
/** Those that are the deployment's: all mails have to wait until somebody has verified or created what is missing. */
const CONFIGURATION = /not verified|configuration set|identit|sending.*(paused|disabled)/i;

/** Mails come faster than the account may send them; where the quota of the day is used up, waiting is of no use. */
const isTooFast = ({ name, message }: SESv2ServiceException): boolean =>
  (name === 'TooManyRequestsException' || name === 'ThrottlingException' || name === 'Throttling') &&
  !/quota/i.test(message);

/** How long a mail is sent again that came too fast. */
const RETRY_MS = 8_000;
/** The function has 20 seconds for a mail that is being sent: functions/mail/index.ts. */
const TIMEOUTS = { connectionTimeout: 3_000, requestTimeout: 9_000, throwOnRequestTimeout: true };

/** Errors of connections that were never made. */
const UNCONNECTED: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
]);
/** Errors of certificates and TLS, by their codes. */
const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;
/** What the SDK and Node say of connections that were not made in time, or whose TLS handshake failed. */
const NOT_CONNECTED = /did not establish a connection|before secure TLS connection was established/i;

/** Whether an error says that a request was refused, though its body cannot be read: as by a proxy. */
function isUnreadableRefusal(error: Error): boolean {
  const response: unknown = '$response' in error ? error.$response : undefined;
  const { data } = z.object({ statusCode: z.number() }).safeParse(response);
  return data !== undefined && data.statusCode >= 400 && data.statusCode < 500;
}
/** The SDK had no credentials to sign with. */
const CREDENTIALS = 'CredentialsProviderError';

/** Whether Amazon SES certainly has no mail: it answered with an error, or there was no connection to it. */
function isRefused(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (error instanceof SESv2ServiceException || error.name === CREDENTIALS) return true;
  const isConnecting = 'syscall' in error && (error.syscall === 'connect' || error.syscall === 'getaddrinfo');
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    isConnecting ||
    UNCONNECTED.has(code) ||
    TLS_CODE.test(code) ||
    NOT_CONNECTED.test(error.message) ||
    isUnreadableRefusal(error)
  );
}

/**
 * Sends mails by Amazon SES. A mail is sent again here only when SES said that it came too fast: the SDK would also send one
 * again whose response was lost, which would be a second mail that no record knows.
 */
export function sesSender({ MAIL_FROM: from, MAIL_REPLY_TO: replyTo }: MailSettings): Sender {
  const client = new SESv2Client({ maxAttempts: 1, requestHandler: TIMEOUTS });

  async function send(Data: Buffer, recipient: string): Promise<void> {
    const command = new SendEmailCommand({
      FromEmailAddress: from,
      Destination: { ToAddresses: [recipient] },
      Content: { Raw: { Data } },
    });
    await retry(RETRY_MS, async () => {
      try {
        await client.send(command);
        return { done: true, value: undefined };
      } catch (error) {
        if (!(error instanceof SESv2ServiceException && isTooFast(error))) throw error;
        return { done: false, reason: 'mails come faster than Amazon SES takes them', cause: error };
      }
    }).catch((error: unknown) => {
      throw error instanceof Error && error.cause instanceof SESv2ServiceException ? error.cause : error;
    });
  }

  return async (mail) => {
    const data = await composed(mail, { from, replyTo });
    try {
      await send(data, mail.recipient.login);
    } catch (error) {
      if (!isRefused(error)) throw error;
      const isFinal = UNDELIVERABLE.has(error.name) && !CONFIGURATION.test(error.message);
      throw new (isFinal ? Undeliverable : NotSent)(error.message, { cause: error });
    }
  };
}

/** A mail as a MIME message. @throws NotSent when it cannot be made */
async function composed(mail: SentMail, addresses: { from: string; replyTo: string | undefined }) {
  try {
    return await rawMessage(mail, addresses);
  } catch (error) {
    throw new NotSent('The message cannot be made', { cause: error });
  }
}

/** Writes mails as files into a folder. @param print says where they are */
export function folderSender(
  folder: string,
  { MAIL_FROM: from, MAIL_REPLY_TO: replyTo }: MailSettings,
  now: () => Date,
  print: (line: string) => void,
): Sender {
  return async (mail) => {
    const data = await composed(mail, { from, replyTo });
    const time = now().toISOString().replaceAll(/[:.]/g, '-');
    const name = `${time}-${mail.recipient.id}-${mail.id.replaceAll(/[^a-z0-9_]/g, '-')}.eml`;
    try {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, name), data);
    } catch (error) {
      throw new NotSent('The file cannot be written', { cause: error });
    }
    print(`mail  ${mail.recipient.login}  ${join(folder, name)}`);
  };
}

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

const count = (fallback: number) =>
  z._default(z.coerce.number().check(z.int('must be an integer'), z.minimum(1)), fallback);

/** Settings of the function `mail`, beside those that all functions have. */
const schema = z.object({
  /** address that mails are from */
  MAIL_FROM: z.string('must be an address').check(z.regex(ADDRESS, 'must be an address')),
  MAIL_REPLY_TO: optionalSetting,
  /** mails that are sent in an hour at most */
  MAIL_PER_HOUR: count(1_000),
  /** mails for signing in: in an hour at most, and of these for one source address */
  SIGN_IN_PER_HOUR: count(DEFAULT_SIGN_IN_LIMITS.perHour),
  SIGN_IN_PER_SOURCE: count(DEFAULT_SIGN_IN_LIMITS.perSource),
  /** address of this deployment, as `https://bugs.example.org/` */
  BASE_URL: z.url('must be a URL'),
  /** URL of the SQS queue; absent: messages come back when the queue says so */
  MAIL_QUEUE_URL: optionalSetting,
  /** URL of the SQS queue of what is mailed about accounts */
  ACCOUNT_QUEUE_URL: optionalSetting,
  /** folder that gets mails as files instead of Amazon SES */
  MAIL_FOLDER: optionalSetting,
});

type MailSettings = Readonly<z.infer<typeof schema>>;

/**
 * Reads the settings of the function `mail` from an environment.
 *
 * @throws Error naming each setting that is missing or invalid
 */
export const readMailSettings = (environment: Environment): MailSettings =>
  readEnvironment(schema, environment);
