import { ChangeMessageVisibilityCommand, SQSClient } from '@aws-sdk/client-sqs';
import { escapeLine } from '../../lib/base/text.ts';
import { eventRepositories } from '../../lib/changes/events/change.ts';
import { type DeliveryLog, deliveryLog } from '../../lib/changes/events/delivery-log.ts';
import type { AccountMailServices } from '../../lib/changes/mail/consume-account-messages.ts';
import type { MessageServices } from '../../lib/changes/mail/consume-messages.ts';
import { MAX_MAILS_A_CHANGE, PORTION } from '../../lib/changes/mail/deliver.ts';
import { mailsOf } from '../../lib/changes/mail/mails.ts';
import { mailRepository } from '../../lib/changes/mail/repository.ts';
import { folderSender, readMailSettings, sesSender } from '../../lib/changes/mail/senders.ts';
import { openServices } from '../../lib/http/services.ts';
import { signInRepository } from '../../lib/people/sign-in-repository.ts';
import { unsubscribeCode, unsubscribeRepository } from '../../lib/people/unsubscribe.ts';

/** The services of the function `mail`. */
export function mailServices(
  environment: Record<string, string | undefined>,
): MessageServices & AccountMailServices {
  const mailSettings = readMailSettings(environment);
  const { MAIL_PER_HOUR, MAIL_QUEUE_URL, ACCOUNT_QUEUE_URL, MAIL_FOLDER, BASE_URL } = mailSettings;
  const { SIGN_IN_PER_HOUR, SIGN_IN_PER_SOURCE } = mailSettings;
  const { table, services } = openServices(environment);
  const { now, settings } = services;
  const sources = eventRepositories(table, now);
  const { INSIDER_GROUP: insiderGroup, TIMETRACKING_GROUP: timetrackingGroup } = settings;
  const queue = new SQSClient({});
  /** @param QueueUrl absent: messages come back when the queue says so */
  const hideIn =
    (QueueUrl: string | undefined) => async (ReceiptHandle: string, VisibilityTimeout: number) => {
      if (QueueUrl === undefined) return;
      await queue.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
    };
  const signInLimits = { perHour: SIGN_IN_PER_HOUR, perSource: SIGN_IN_PER_SOURCE };
  /** The links that turn mails off; undefined where the address is not public, or the endpoint is left out. */
  const hasLinks = BASE_URL.startsWith('https:') && !settings.LEFT_OUT_GROUPS.includes('account');
  const unsubscribeSecret = unsubscribeRepository(table);
  async function unsubscribeUrl() {
    const secret = hasLinks ? await unsubscribeSecret.ensure() : undefined;
    if (secret === undefined) return undefined;
    return ({ id }: { id: number }) =>
      `${BASE_URL}rest/bugless/unsubscribe?user=${id}&code=${unsubscribeCode(secret, id)}`;
  }
  const isLocal = MAIL_FOLDER !== undefined;
  const printLocal = settings.REQUEST_LOG === 'readable' ? print : ignore;
  const log = deliveryLog(settings.SERVICE_NAME, { hasMetrics: settings.REQUEST_LOG === 'json' });
  return {
    sources,
    now,
    log: isLocal ? { ...log, paused: localPauses(printLocal) } : log,
    mails: mailRepository(table, now),
    async mailsOf(change) {
      const rules = { insiderGroup, timetrackingGroup, base: BASE_URL };
      return mailsOf(change, sources, { ...rules, unsubscribeUrl: await unsubscribeUrl() });
    },
    send:
      MAIL_FOLDER === undefined
        ? sesSender(mailSettings)
        : folderSender(MAIL_FOLDER, mailSettings, now, printLocal),
    ...{ perHour: MAIL_PER_HOUR, maxMails: MAX_MAILS_A_CHANGE, portion: PORTION },
    timeoutMs: settings.DATABASE_RETRY_TIMEOUT_MS,
    hide: hideIn(MAIL_QUEUE_URL),
    hideAccountMessage: hideIn(ACCOUNT_QUEUE_URL),
    ...{ users: services.users, signIns: signInRepository(table, signInLimits) },
    allowsImported: settings.SIGN_IN_IMPORTED,
    base: BASE_URL,
    hasPages: !settings.LEFT_OUT_GROUPS.includes('explorer'),
    announceLink: (login, link) => (isLocal ? printLocal(`sign in as ${login}: ${link}`) : undefined),
  };
}

const print = (line: string): void => {
  process.stdout.write(`${escapeLine(line)}\n`);
};
const ignore = (): void => undefined;

/**
 * Says for people, once for each limit of an hour, that mails wait: locally they are tried again every minute.
 *
 * @param print gets a line
 */
export function localPauses(print: (line: string) => void): DeliveryLog['paused'] {
  const said = new Set<string>();
  return (_, { bug }, { limit, user, number, until }) => {
    const whose = {
      ...{ hour: ' of the hour', pace: ' of this part of the hour' },
      ...{ user: ` of user ${user}`, bug: ` of bug ${bug}` },
    }[limit];
    const hour = until.slice(0, 13);
    if (said.has(`${hour}${whose}`)) return;
    said.add(`${hour}${whose}`);
    print(
      `mail  ${number} wait, because the limit${whose} is reached; they continue at ${until.slice(11, 16)} UTC`,
    );
  };
}
