import * as z from 'zod/mini';
import type { Table } from '../dynamodb/client.ts';
import { ConditionFailed } from '../dynamodb/errors.ts';
import { type Key, mailHourKey, mailKey } from '../dynamodb/keys.ts';
import { readItems, withKey } from '../dynamodb/read.ts';
import { updateItem } from '../dynamodb/write.ts';

const STATES = ['sending', 'sent'] as const;

/** Whether a mail has been sent. functions/mail/README.md 3 */
export const mailItem = z.object({
  state: z.enum(STATES),
  /** seconds since 1970: when sending began last */
  started_at: z.int(),
  /** seconds since 1970 */
  expires_at: z.int(),
});

/** How many mails were sent in an hour. */
export const mailHourItem = z.object({
  sent: z.int(),
  /** seconds since 1970 */
  expires_at: z.int(),
});

/** Longer than a message can be in its queue, which is 14 days: a mail of it must not be sent twice. */
const KEPT_SECONDS = 15 * 24 * 60 * 60;
const DAY_SECONDS = 24 * 60 * 60;
/** Of a function that was killed while it sent a mail: longer than a function runs. */
const STALE_SECONDS = 2 * 60;

/** A mail, as far as its record is concerned. */
export interface RecordedMail {
  recipient: { id: number };
  /** tells the mails of one change to one recipient apart */
  id: string;
}

/** The change that mails are about: `name` tells it from the others of its bug. */
export interface MailedChange {
  bug: number;
  name: string;
}

export type MailRepository = ReturnType<typeof mailRepository>;

/** What was mailed, so that nothing is mailed twice, and not too much in an hour. */
export function mailRepository(table: Table, now: () => Date) {
  const hour = () => now().toISOString().slice(0, 13);
  const seconds = () => Math.floor(now().getTime() / 1_000);
  const keyOfMail = ({ bug, name }: MailedChange, { recipient, id }: RecordedMail): Key =>
    mailKey(bug, name, recipient.id, id);

  return {
    /** Those that have not been sent; those whose sending has failed last, so that they do not hold up the others. */
    async unsent<M extends RecordedMail>(change: MailedChange, mails: readonly M[]): Promise<M[]> {
      const keys = mails.map((mail) => keyOfMail(change, mail));
      const found = await readItems(table, keys, withKey(mailItem));
      const states = new Map(found.map(({ sk, state }) => [sk, state]));
      const stateOf = (mail: M) => states.get(keyOfMail(change, mail).sk);
      const fresh = mails.filter((mail) => stateOf(mail) === undefined);
      return [...fresh, ...mails.filter((mail) => stateOf(mail) === 'sending')];
    },

    /**
     * Records that a mail is being sent.
     *
     * @returns false: it was sent, or another process is sending it
     */
    begin: (change: MailedChange, mail: RecordedMail): Promise<boolean> =>
      isDone(
        updateItem(table, {
          update: keyOfMail(change, mail),
          set: 'SET #state = :sending, started_at = :now, expires_at = :end',
          condition: 'attribute_not_exists(pk) OR (#state = :sending AND started_at < :stale)',
          names: { '#state': 'state' },
          values: {
            ...{ ':sending': 'sending', ':now': seconds(), ':end': seconds() + KEPT_SECONDS },
            ':stale': seconds() - STALE_SECONDS,
          },
        }),
      ),

    /** Records that a mail was sent. */
    finish: (change: MailedChange, mail: RecordedMail): Promise<void> =>
      updateItem(table, {
        update: keyOfMail(change, mail),
        set: 'SET #state = :sent, started_at = :now, expires_at = :end',
        names: { '#state': 'state' },
        values: { ':sent': 'sent', ':now': seconds(), ':end': seconds() + KEPT_SECONDS },
      }),

    /**
     * Counts a mail of this hour.
     *
     * @returns false: so many have been sent that it has to wait for the next
     */
    count: (max: number): Promise<boolean> =>
      isDone(
        updateItem(table, {
          update: mailHourKey(hour()),
          set: 'SET expires_at = :end ADD sent :one',
          condition: 'attribute_not_exists(pk) OR sent < :max',
          values: { ':end': seconds() + DAY_SECONDS, ':one': 1, ':max': max },
        }),
      ),

    /** Takes a mail back that was counted, and not sent. */
    uncount: (): Promise<void> =>
      updateItem(table, {
        update: mailHourKey(hour()),
        set: 'SET expires_at = :end ADD sent :one',
        values: { ':end': seconds() + DAY_SECONDS, ':one': -1 },
      }),
  };
}

/** Whether the condition of an update held. */
async function isDone(update: Promise<void>): Promise<boolean> {
  try {
    await update;
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}
