import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import type { Mail } from './context.ts';
import { Undeliverable } from './deliver.ts';
import { rawMessage } from './message.ts';
import type { MailSettings } from './settings.ts';

type Sender = (mail: Mail) => Promise<void>;

/** Errors of Amazon SES that are the recipient's, or the message's. */
const UNDELIVERABLE: ReadonlySet<string> = new Set(['MessageRejected', 'BadRequestException']);
/** Those that are the deployment's: all mails have to wait until somebody has verified or created what is missing. */
const CONFIGURATION = /not verified|configuration set|identit|sending.*(paused|disabled)/i;

const MAX_ATTEMPTS = 8;

/** Sends mails by Amazon SES. */
export function sesSender({ MAIL_FROM: from, MAIL_REPLY_TO: replyTo }: MailSettings): Sender {
  // Adaptive retries slow down to the rate at which SES lets the account send.
  const client = new SESv2Client({ retryMode: 'adaptive', maxAttempts: MAX_ATTEMPTS });
  return async (mail) => {
    const Data = await rawMessage(mail, { from, replyTo });
    const command = new SendEmailCommand({
      FromEmailAddress: from,
      Destination: { ToAddresses: [mail.recipient.login] },
      Content: { Raw: { Data } },
    });
    try {
      await client.send(command);
    } catch (error) {
      if (error instanceof Error && UNDELIVERABLE.has(error.name) && !CONFIGURATION.test(error.message)) {
        throw new Undeliverable(error.message, { cause: error });
      }
      throw error;
    }
  };
}

/** Writes mails as files into a folder. @param print says where they are */
export function folderSender(
  folder: string,
  { MAIL_FROM: from, MAIL_REPLY_TO: replyTo }: MailSettings,
  now: () => Date,
  print: (line: string) => void,
): Sender {
  return async (mail) => {
    const data = await rawMessage(mail, { from, replyTo });
    const time = now().toISOString().replaceAll(/[:.]/g, '-');
    const name = `${time}-${mail.recipient.id}-${mail.id.replaceAll(/[^a-z0-9_]/g, '-')}.eml`;
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), data);
    print(`mail  ${mail.recipient.login}  ${join(folder, name)}`);
  };
}
