import * as z from 'zod/mini';
import { loggedChange } from '../bugs/store/logged-change.ts';
import { withDeadline } from '../dynamodb/deadline.ts';
import { type Change, type ChangeSources, type DatedLoggedChange, readChange } from '../events/change.ts';
import type { Mail } from './context.ts';
import { type DeliveryServices, deliver } from './deliver.ts';
import type { MailedChange } from './repository.ts';

/** A message of the queue: what the rule of the bus sends there. */
const body = z.object({
  detail: z.object({
    bug: z.int(),
    change: z.extend(loggedChange, { time: z.string() }),
  }),
});

/** A message as SQS gives it to functions. */
export interface QueueMessage {
  messageId: string;
  receiptHandle: string;
  /** JSON */
  body: string;
}

/** What the function `mail` works with. */
export interface MessageServices extends Omit<DeliveryServices<Mail>, 'isLate'> {
  sources: ChangeSources;
  /** The mails of a change. */
  mailsOf(change: Change): Promise<Mail[]>;
  now: () => Date;
  /** milliseconds that reading takes at most */
  timeoutMs: number;
  /** Keeps a message in the queue for so many seconds before it is received again. */
  hide(receiptHandle: string, seconds: number): Promise<void>;
  report(message: string, cause: unknown): void;
}

/** Until the record of a mail that another process was sending is stale. */
const AGAIN_SECONDS = 60;
/** All messages that wait for an hour would come back at once. */
const SPREAD_SECONDS = 300;

/** What tells a change from the others of its bug. */
const nameOf = ({ kind, revision, comments: [first] = [0, 0] }: DatedLoggedChange): string =>
  kind === 'commented' ? `${kind}-${first}` : `${kind}-${revision}`;

/**
 * Mails the changes that messages of the queue name. What cannot be sent now stays in the queue.
 *
 * @param isLate whether the time of the function is nearly over
 * @returns the ids of the messages that stay
 */
export async function consumeMessages(
  messages: readonly QueueMessage[],
  isLate: () => boolean,
  services: MessageServices,
): Promise<string[]> {
  const left: string[] = [];
  for (const message of messages) {
    const outcome = await consume(message, isLate, services).catch((error: unknown): Wait => {
      services.report('A change could not be mailed', error);
      return {};
    });
    if (outcome === 'done') continue;
    left.push(message.messageId);
    const { seconds } = outcome;
    if (seconds === undefined) continue;
    await services.hide(message.receiptHandle, seconds).catch((error: unknown) => {
      services.report('A message could not be hidden', error);
    });
  }
  return left;
}

/** How long a message waits until it is received again; without: as long as the queue has it. */
interface Wait {
  seconds?: number;
}

async function consume(
  message: QueueMessage,
  isLate: () => boolean,
  services: MessageServices,
): Promise<'done' | Wait> {
  if (isLate()) return { seconds: 0 };
  const { bug, change } = body.parse(JSON.parse(message.body)).detail;
  const mailed: MailedChange = { bug, name: nameOf(change) };
  const mails = await withDeadline(services.timeoutMs, async () => {
    const read = await readChange(bug, change, services.sources, { withLater: true });
    return read === undefined ? [] : services.mailsOf(read);
  });
  const outcome = await deliver(mailed, mails, { ...services, isLate });
  if (outcome === 'done') return 'done';
  if (outcome === 'again') return { seconds: isLate() ? 0 : AGAIN_SECONDS };
  return { seconds: secondsToNextHour(services.now()) + Math.floor(Math.random() * SPREAD_SECONDS) };
}

const HOUR_SECONDS = 3_600;
const secondsToNextHour = (now: Date): number =>
  HOUR_SECONDS - (Math.floor(now.getTime() / 1_000) % HOUR_SECONDS);
