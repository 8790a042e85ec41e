import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SESv2Client, SESv2ServiceException, SendEmailCommand } from '@aws-sdk/client-sesv2';
import * as z from 'zod/mini';
import { retry } from '../../base/retry.ts';
import type { SentMail } from './context.ts';
import { NotSent, Undeliverable } from './deliver.ts';
import { rawMessage } from './message.ts';
import type { MailSettings } from './settings.ts';

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
