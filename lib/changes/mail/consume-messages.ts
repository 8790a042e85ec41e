import * as z from 'zod/mini';
import { loggedChange } from '../../bugs/change-log/logged-change.ts';
import { withDeadline } from '../../table/retry.ts';
import { changeName, type EventRepositories, type PublishedChange, readChange } from '../events/change.ts';
import type { DeliveryLog, DeliveryMetric, LogContext } from '../events/delivery-log.ts';
import type { Mail } from './context.ts';
import { type DeliveryServices, deliver, type MailOutcome, type PlannedMails } from './deliver.ts';
import type { MailedChange } from './repository.ts';

/** A message of the queue: what the rule of the bus sends there. */
const body = z.object({
  detail: z.object({
    bug: z.int(),
    change: loggedChange,
  }),
});

/** A message as SQS gives it to functions. */
export interface QueueMessage {
  messageId: string;
  receiptHandle: string;
  /** JSON */
  body: string;
  /** `ApproximateReceiveCount`: how often it was received; `SentTimestamp`: milliseconds since 1970 */
  attributes?: { ApproximateReceiveCount?: string; SentTimestamp?: string };
}

/** What the function `mail` works with. */
export interface MessageServices
  extends Omit<DeliveryServices<Mail>, 'isLate' | 'report' | 'reportWaiting' | 'reportOmitted'> {
  sources: EventRepositories;
  /** The mails of a change. */
  mailsOf(change: PublishedChange): Promise<PlannedMails<Mail>>;
  now: () => Date;
  /** milliseconds that reading takes at most */
  timeoutMs: number;
  /** Keeps a message in the queue for so many seconds before it is received again. */
  hide(receiptHandle: string, seconds: number): Promise<void>;
  log: DeliveryLog;
}

const METRICS: Readonly<Record<MailOutcome, DeliveryMetric>> = {
  sent: 'MailsSent',
  refused: 'MailsRefused',
  undeliverable: 'MailsUndeliverable',
};

/** Until the record of a mail that another process was sending is stale. */
const AGAIN_SECONDS = 60;
/** All messages that wait for an hour, or for its last ten minutes, would come back at once. */
const SPREAD_SECONDS = 300;
/** A change whose mails wait longer is reported: the alarm `LateMails`. */
const LATE_MS = 90 * 60 * 1_000;

/** What became of a message: it is done, or waits for so many seconds until it is received again; without: as the queue has it. */
export type MessageOutcome = 'done' | { seconds?: number };

/**
 * Consumes messages of a queue, one after the other: one that fails does not stop the others.
 *
 * @param hide keeps a message in the queue for so many seconds
 * @returns the ids of the messages that stay
 */
export async function consumeEach(
  messages: readonly QueueMessage[],
  { log, hide }: Pick<MessageServices, 'log' | 'hide'>,
  consume: (message: QueueMessage, context: LogContext) => Promise<MessageOutcome>,
): Promise<string[]> {
  const left: string[] = [];
  for (const message of messages) {
    const context: LogContext = { attempt: Number(message.attributes?.ApproximateReceiveCount ?? 1) };
    const outcome = await consume(message, context);
    if (outcome === 'done') continue;
    left.push(message.messageId);
    if (outcome.seconds === undefined) continue;
    await hide(message.receiptHandle, outcome.seconds).catch((error: unknown) => {
      log.failed('A message could not be hidden', context, error);
    });
  }
  return left;
}

/**
 * Mails the changes that messages of the queue name. What cannot be sent now stays in the queue.
 *
 * @param isLate whether the time of the function is nearly over
 * @returns the ids of the messages that stay
 */
export const consumeMessages = (
  messages: readonly QueueMessage[],
  isLate: () => boolean,
  services: MessageServices,
): Promise<string[]> =>
  consumeEach(messages, services, async (message, context) => {
    const { log, now } = services;
    const outcome = await consume(message, context, isLate, services).catch((error: unknown) => {
      log.failed('A change could not be mailed', context, error);
      return {};
    });
    const sent = message.attributes?.SentTimestamp;
    const isLateNow = sent !== undefined && now().getTime() - Number(sent) > LATE_MS;
    if (outcome !== 'done' && isLateNow) log.count('MailsLate');
    return outcome;
  });

/** A change has more mails than are sent: the own people of its bug, and the first dependent bugs got theirs. */
class TooManyMails extends Error {
  override name = 'TooManyMails';
}

/** @param context gets the bug and its revision, when they are known */
async function consume(
  message: QueueMessage,
  context: LogContext,
  isLate: () => boolean,
  services: MessageServices,
): Promise<MessageOutcome> {
  if (isLate()) return { seconds: 0 };
  const { log } = services;
  const { mailed, mails } = await readMails(message, context, services).catch((error: unknown) => {
    log.count('MailsRefused');
    throw error;
  });
  const outcome = await deliver(mailed, mails, {
    ...services,
    isLate,
    report(what, cause) {
      log.count(METRICS[what]);
      if (what === 'undeliverable') log.failed('A mail is undeliverable', context, cause);
    },
    reportOmitted() {
      log.count('ChangesOverLimit');
      log.failed('A change has too many mails: the rest is not sent', context, new TooManyMails());
    },
    reportWaiting(pause) {
      log.count('MailsDelayed', pause.number);
      const now = services.now();
      const until = new Date(now.getTime() + waitFor(pause.limit, now, context.attempt)).toISOString();
      log.paused('Mails wait for a limit of the hour', context, { ...pause, until });
    },
  });
  if (outcome === 'done') return 'done';
  if (outcome === 'again') return { seconds: isLate() ? 0 : AGAIN_SECONDS };
  const seconds = Math.ceil(waitFor(outcome, services.now(), context.attempt) / 1_000);
  return { seconds: seconds + Math.floor(Math.random() * SPREAD_SECONDS) };
}

async function readMails(
  message: QueueMessage,
  context: LogContext,
  { sources, mailsOf, timeoutMs }: MessageServices,
): Promise<{ mailed: MailedChange; mails: PlannedMails<Mail> }> {
  const { bug, change } = body.parse(JSON.parse(message.body)).detail;
  Object.assign(context, { bug, revision: change.revision });
  if (change.request !== undefined) context.request_id = change.request;
  const mails = await withDeadline(timeoutMs, async () => {
    const read = await readChange(bug, change, sources, { withLater: true });
    return read === undefined ? { own: [] } : mailsOf(read);
  });
  return { mailed: { bug, name: changeName(change) }, mails };
}

/** When mails that wait for their turn ask again, in ms; after so many receives of the message, once an hour. */
const TURN_MS = 3 * 60_000;
const MAX_SOON = 100;

/** Milliseconds until mails that wait for a limit are tried again. */
const waitFor = (limit: string, now: Date, attempt: number): number =>
  limit !== 'hour' && attempt <= MAX_SOON ? TURN_MS : untilNextHour(now);

const HOUR_MS = 3_600_000;
const untilNextHour = (now: Date): number => HOUR_MS - (now.getTime() % HOUR_MS);
