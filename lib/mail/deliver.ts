import { mapConcurrent } from '../map-concurrent.ts';
import {
  MAX_ATTEMPTS,
  type MailedChange,
  type MailRepository,
  type RecordedMail,
  type UnsentMail,
} from './repository.ts';

/** Nobody can be reached with this mail: it is not sent again. */
export class Undeliverable extends Error {
  override name = 'Undeliverable';
}

/** This mail was certainly not sent, because it was refused or never handed over: it can be sent later. */
export class NotSent extends Error {
  override name = 'NotSent';
}

/**
 * How the delivery of a change ended: `hour`: the limit of this hour is reached; `again`: another process sends a mail of it,
 * or the time is over.
 */
export type Outcome = 'done' | 'hour' | 'again';

/** What became of a mail. `refused`: it was not accepted, or nothing is known; it is sent later. */
export type MailOutcome = 'sent' | 'delayed' | 'refused' | 'undeliverable';

/** What the delivery of mails works with. */
export interface DeliveryServices<M> {
  mails: MailRepository;
  /** @throws Undeliverable, NotSent; after other errors it is not known whether the mail was sent */
  send(mail: M): Promise<void>;
  /** mails in an hour */
  perHour: number;
  /** whether the time of the function is nearly over */
  isLate(): boolean;
  /** is told what became of each mail */
  report(outcome: MailOutcome, cause?: Error): void;
}

/** Mails sent at the same time. */
const CONCURRENCY = 4;
/** A failure may be one recipient's; after so many, Amazon SES is asked later. */
const MAX_FAILURES = 10;

/**
 * Sends the mails of a change that have not been sent: each at most twice, because an attempt counts as long as its outcome
 * is unknown, and after two of these the mail is given up. functions/mail/README.md 3
 *
 * @throws the first failure, when the other mails are sent
 */
export async function deliver<M extends RecordedMail>(
  change: MailedChange,
  all: readonly M[],
  { mails, send, perHour, isLate, report }: DeliveryServices<M>,
): Promise<Outcome> {
  const unsent = await mails.unsent(change, all);
  let outcome: Outcome = 'done';
  const failures: unknown[] = [];

  async function deliverOne(one: UnsentMail<M>): Promise<void> {
    if (failures.length >= MAX_FAILURES) return;
    if (outcome === 'hour') {
      report('delayed');
      return;
    }
    if (isLate()) {
      outcome = 'again';
      return;
    }
    if (one.attempts >= MAX_ATTEMPTS) {
      if (!one.isStale) {
        outcome = 'again';
        return;
      }
      // Before it is recorded: a process that is killed between the two reports it again.
      report('undeliverable', new Undeliverable(GIVEN_UP));
      await mails.giveUp(change, one.mail);
      return;
    }
    if (!(await mails.count(perHour))) {
      outcome = 'hour';
      report('delayed');
      return;
    }
    const token = await mails.begin(change, one);
    if (token === undefined) {
      outcome = 'again';
      await mails.uncount();
      return;
    }
    await sendOne(one, token);
  }

  async function sendOne(one: UnsentMail<M>, token: string): Promise<void> {
    try {
      await send(one.mail);
      report('sent');
    } catch (error) {
      if (!(error instanceof Undeliverable)) {
        failures.push(error);
        report('refused');
        if (!(error instanceof NotSent)) return;
        await mails.setBack(change, one, token);
        await mails.uncount();
        return;
      }
      report('undeliverable', error);
    }
    await mails.finish(change, one.mail);
  }

  await mapConcurrent(
    unsent,
    (one) => deliverOne(one).catch((error: unknown) => void failures.push(error)),
    CONCURRENCY,
  );
  const [failure] = failures;
  if (failure !== undefined) throw failure;
  return outcome;
}

const GIVEN_UP = 'It was being sent twice without a known outcome, and is not sent again';
