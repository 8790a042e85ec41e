import { mapConcurrent } from '../map-concurrent.ts';
import type { MailedChange, MailRepository, RecordedMail } from './repository.ts';

/** Nobody can be reached with this mail: it is not sent again. */
export class Undeliverable extends Error {
  override name = 'Undeliverable';
}

/**
 * How the delivery of a change ended: `hour`: the limit of this hour is reached; `again`: another process sends a mail of it,
 * or the time is over.
 */
export type Outcome = 'done' | 'hour' | 'again';

/** What the delivery of mails works with. */
export interface DeliveryServices<M> {
  mails: MailRepository;
  /** @throws Undeliverable; other errors are temporary */
  send(mail: M): Promise<void>;
  /** mails in an hour */
  perHour: number;
  /** whether the time of the function is nearly over */
  isLate(): boolean;
  /** is told of a mail that cannot be delivered */
  reportUndeliverable(mail: M, cause: Error): void;
}

/** Mails sent at the same time. */
const CONCURRENCY = 4;
/** A failure may be one recipient's; after so many, Amazon SES is asked later. */
const MAX_FAILURES = 10;

/**
 * Sends the mails of a change that have not been sent. A process that is killed while it sends leaves one mail `sending` for
 * each that it was sending: those are sent once more, because their outcome is unknown. functions/mail/README.md 3
 *
 * @throws the first failure, when the other mails are sent
 */
export async function deliver<M extends RecordedMail>(
  change: MailedChange,
  all: readonly M[],
  { mails, send, perHour, isLate, reportUndeliverable }: DeliveryServices<M>,
): Promise<Outcome> {
  const unsent = await mails.unsent(change, all);
  let outcome: Outcome = 'done';
  const failures: unknown[] = [];
  async function deliverOne(mail: M): Promise<void> {
    if (outcome === 'hour' || failures.length >= MAX_FAILURES) return;
    if (isLate()) {
      outcome = 'again';
      return;
    }
    if (!(await mails.count(perHour))) {
      outcome = 'hour';
      return;
    }
    if (!(await mails.begin(change, mail))) {
      outcome = 'again';
      await mails.uncount();
      return;
    }
    try {
      await send(mail);
    } catch (error) {
      if (!(error instanceof Undeliverable)) {
        failures.push(error);
        await mails.uncount();
        return;
      }
      reportUndeliverable(mail, error);
    }
    await mails.finish(change, mail);
  }
  await mapConcurrent(unsent, deliverOne, CONCURRENCY);
  const [failure] = failures;
  if (failure !== undefined) throw failure;
  return outcome;
}
