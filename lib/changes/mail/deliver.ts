import { mapConcurrent } from '../../base/collections.ts';
import type { LoggedPause } from '../events/delivery-log.ts';
import {
  MAX_MAIL_ATTEMPTS,
  type MailedChange,
  type MailRepository,
  type RecordedMail,
  type UnsentMail,
} from './repository.ts';

/** The mail cannot be delivered to any recipient: it is not sent again. */
export class Undeliverable extends Error {
  override name = 'Undeliverable';
}

/** This mail was certainly not sent, because it was refused or never handed over: it can be sent later. */
export class NotSent extends Error {
  override name = 'NotSent';
}

/**
 * How the delivery of a change ended: `hour`: the limit of this hour is reached; `share`: that of who made the change, or of
 * its bug; `again`: another process sends a mail of it, or the time is over.
 */
export type DeliveryOutcome = 'done' | 'hour' | 'share' | 'again';

/** Mails that wait, and what for. */
export type WaitingMails = Omit<LoggedPause, 'until'>;

/** What became of a mail. `refused`: it was not accepted, or nothing is known; it is sent later. */
export type MailOutcome = 'sent' | 'refused' | 'undeliverable';

/** The mails to those with a role in a bug that depends on the changed one. */
export interface DependentMails<M> {
  /** id */
  bug: number;
  mails: readonly M[];
}

/** The mails of a change, made when they are needed. */
export interface PlannedMails<M> {
  /** to the people of the bug itself */
  own: Iterable<M>;
  /** whether the bug itself has more than a change may have; absent: as many as `own` */
  isCut?: boolean;
  /** to those of the bugs that depend on it, in the order of their ids; absent: they are not told. @param after id of a bug */
  dependents?: (after: number) => AsyncIterable<DependentMails<M>>;
}

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
  /** mails of a change at most */
  maxMails: number;
  /** mails to dependent bugs that are counted and sent together, at least */
  portion: number;
  /** is told once the other mails of a change are sent that it has more than it may have */
  reportOmitted(): void;
  /** is told of mails that wait for a limit */
  reportWaiting(waiting: WaitingMails): void;
}

/** Mails that a change has at most: those of its bug's own people first. */
export const MAX_MAILS_A_CHANGE = 10_000;
/** Mails to dependent bugs that are counted and sent together, at least. */
export const PORTION = 500;
/** Mails sent at the same time. */
const CONCURRENCY = 4;
/** A failure may be one recipient's; after so many, Amazon SES is asked later. */
const MAX_FAILED_MAILS = 10;

/**
 * Sends the mails of a change that have not been sent: each at most twice, because an attempt counts as long as its outcome
 * is unknown, and after two of these the mail is given up. functions/mail/README.md 3
 *
 * @throws the first failure, when the other mails are sent
 */
export async function deliver<M extends RecordedMail>(
  change: MailedChange,
  all: PlannedMails<M>,
  services: DeliveryServices<M>,
): Promise<DeliveryOutcome> {
  const { mails, send, perHour, maxMails, isLate, report, reportWaiting } = services;
  const outcomes = new Set<DeliveryOutcome>();
  const failures: unknown[] = [];

  /** Whether to leave what has not begun. */
  function isOver(): boolean {
    if (failures.length >= MAX_FAILED_MAILS) return true;
    if (isLate()) outcomes.add('again');
    return isLate();
  }

  /** Sends as many mails of one user's change as may be sent now. */
  async function deliverCounted(user: number, unsent: readonly UnsentMail<M>[]): Promise<void> {
    if (isOver()) return;
    const counted = await mails.count({ user, bug: change.bug }, unsent.length, perHour);
    const { count, limit } = counted;
    if (limit !== undefined) {
      outcomes.add(limit === 'hour' ? 'hour' : 'share');
      reportWaiting({ number: unsent.length - count, user, limit });
    }
    let left = count;
    await settle(unsent.slice(0, count), async (one) => {
      if (isOver()) return;
      const token = await mails.begin(change, one);
      if (token === undefined) {
        outcomes.add('again');
        return;
      }
      left -= 1;
      if (!(await sendOne(one, token))) left += 1;
    });
    if (left > 0) await mails.uncount(counted, left).catch((error: unknown) => void failures.push(error));
  }

  /** @returns whether it was sent, as far as is known */
  async function sendOne(one: UnsentMail<M>, token: string): Promise<boolean> {
    let isSent = true;
    try {
      await send(one.mail);
      report('sent');
    } catch (error) {
      if (!(error instanceof Undeliverable)) {
        failures.push(error);
        report('refused');
        if (!(error instanceof NotSent)) return true;
        await mails.setBack(change, one, token).catch((failure: unknown) => void failures.push(failure));
        return false;
      }
      isSent = false;
      report('undeliverable', error);
    }
    await mails.finish(change, one.mail);
    return isSent;
  }

  async function giveUp(one: UnsentMail<M>): Promise<void> {
    if (isOver()) return;
    // Before it is recorded: a process that is killed between the two reports it again.
    report('undeliverable', new Undeliverable(GIVEN_UP));
    await mails.giveUp(change, one.mail);
  }

  /** Does some at a time; those that fail do not stop the others. */
  const settle = (some: readonly UnsentMail<M>[], work: (one: UnsentMail<M>) => Promise<void>) =>
    mapConcurrent(some, (one) => work(one).catch((error: unknown) => void failures.push(error)), CONCURRENCY);

  /** Sends what has not been sent. @returns whether nothing of it is left */
  async function deliverAll(some: readonly M[]): Promise<boolean> {
    const failed = failures.length;
    const unsent = await mails.unsent(change, some);
    const ready = unsent.filter(({ isStale }) => isStale);
    if (ready.length < unsent.length) outcomes.add('again');
    const { ended = [], open = [] } = Object.groupBy(ready, ({ attempts }) =>
      attempts >= MAX_MAIL_ATTEMPTS ? 'ended' : 'open',
    );
    await settle(ended, giveUp);
    // Comments that were written together may have several authors.
    for (const [user, own] of Map.groupBy(open, ({ mail }) => mail.changer)) await deliverCounted(user, own);
    return outcomes.size === 0 && failures.length === failed;
  }

  /** Sends the mails to dependent bugs, from where the last receive of the change ended. */
  async function deliverToDependents(
    dependents: NonNullable<PlannedMails<M>['dependents']>,
    ownMails: number,
  ) {
    let { after, made } = (await mails.progress(change)) ?? { after: 0, made: ownMails };
    let isUntilHereDone = true;
    let portion: M[] = [];
    for await (const { bug, mails: some } of dependents(after)) {
      if (portion.length >= services.portion) {
        isUntilHereDone = (await deliverAll(portion)) && isUntilHereDone;
        if (isUntilHereDone) await mails.keepProgress(change, { after, made });
        portion = [];
        if (outcomes.size > 0 || isOver()) return;
      }
      const taken = some.slice(0, maxMails - made);
      portion = portion.concat(taken);
      made += taken.length;
      after = bug;
      isCut = taken.length < some.length;
      if (isCut) break;
    }
    await deliverAll(portion);
  }

  let isCut = all.isCut ?? false;
  const own = [...Iterator.from(all.own).take(maxMails + 1)];
  isCut ||= own.length > maxMails;
  await deliverAll(own.slice(0, maxMails));
  const { dependents } = all;
  if (dependents !== undefined && !isCut && outcomes.size === 0 && !isOver())
    await deliverToDependents(dependents, own.length);
  if (isCut && outcomes.size === 0 && failures.length === 0) services.reportOmitted();
  const [failure] = failures;
  if (failure !== undefined) throw failure;
  return SOONEST.find((outcome) => outcomes.has(outcome)) ?? 'done';
}

/** What a change waits for first. */
const SOONEST = ['again', 'share', 'hour'] as const;
const GIVEN_UP = 'It was being sent twice without a known outcome, and is not sent again';
