import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import type { Table } from '../../table/client.ts';
import { conditionHeld } from '../../table/errors.ts';
import { type Key, mailHourKey, mailKey } from '../../table/keys.ts';
import { readItem, readItems, withKey } from '../../table/read.ts';
import { retryStale } from '../../table/retry.ts';
import { type Action, setItem, transactWriteRetrying, updateItem } from '../../table/write.ts';
import { mailHourItem, type Room, roomIn, type Sharers } from './shares.ts';

const STATES = ['sending', 'sent'] as const;

/** Whether a mail has been sent. functions/mail/README.md 3 */
export const mailItem = z.object({
  /** `sent`: it is not sent again, which is also the state of a mail that was given up */
  state: z.enum(STATES),
  /** seconds since 1970: when sending began last; 0: nothing is being sent */
  started_at: z.int(),
  /** how often sending began without a known outcome */
  attempts: z._default(z.int(), 0),
  /** of the last attempt, so that its own repetition after a lost response is recognized */
  token: z.optional(z.string()),
  /** where the item says how far the mails of a change came: id of the last dependent bug whose mails were sent */
  told_until: z.optional(z.int()),
  /** and how many mails there were until then */
  mails: z.optional(z.int()),
  /** seconds since 1970 */
  expires_at: z.int(),
});

/** How far the mails of a change came to dependent bugs. */
export interface Progress {
  /** id of the last bug whose mails were sent */
  after: number;
  /** mails until then */
  made: number;
}

/** Mails of an hour that were counted, to be sent. */
export interface CountedMails extends Room {
  /** `YYYY-MM-DDThh` */
  hour: string;
}

/** Longer than a message can be in its queue, which is 14 days: a mail of it must not be sent twice. */
const KEPT_SECONDS = 15 * 24 * 60 * 60;
const DAY_SECONDS = 24 * 60 * 60;
/** Of a function that was killed while it sent a mail: longer than a function runs. */
const STALE_SECONDS = 2 * 60;

/** Attempts of unknown outcome, after which a mail is given up: it may have been sent twice. */
export const MAX_MAIL_ATTEMPTS = 2;

/** A mail, as far as its record is concerned. */
export interface RecordedMail {
  recipient: { id: number };
  /** id of who made the change; 0: the user does not exist any more */
  changer: number;
  /** tells the mails of one change to one recipient apart */
  id: string;
}

/** A mail that has not been sent, as far as is known. */
export interface UnsentMail<M> {
  mail: M;
  /** how often sending began without a known outcome */
  attempts: number;
  /** whether no process can be sending it any more */
  isStale: boolean;
}

/** The change that mails are about: `name` tells it from the others of its bug. */
export interface MailedChange {
  bug: number;
  name: string;
}

export type MailRepository = ReturnType<typeof mailRepository>;

/** What was mailed, so that nothing is mailed more than twice, and not too much in an hour. */
export function mailRepository(table: Table, now: () => Date) {
  const seconds = () => Math.floor(now().getTime() / 1_000);
  const keyOfMail = ({ bug, name }: MailedChange, { recipient, id }: RecordedMail): Key =>
    mailKey(bug, name, recipient.id, id);
  const names = { '#state': 'state' };
  const progressKey = ({ bug, name }: MailedChange): Key => mailKey(bug, name, 0, 'progress');

  return {
    /** Those that have not been sent; those whose sending has failed last, so that they do not hold up the others. */
    async unsent<M extends RecordedMail>(
      change: MailedChange,
      mails: readonly M[],
    ): Promise<UnsentMail<M>[]> {
      const keys = mails.map((mail) => keyOfMail(change, mail));
      const found = await readItems(table, keys, withKey(mailItem));
      const records = new Map(found.map((record) => [record.sk, record]));
      const read = mails.map((mail) => ({ mail, record: records.get(keyOfMail(change, mail).sk) }));
      const fresh = read.filter(({ record }) => record === undefined);
      const sending = read.filter(({ record }) => record?.state === 'sending');
      return [
        ...fresh.map(({ mail }) => ({ mail, attempts: 0, isStale: true })),
        ...sending.map(({ mail, record }) => ({
          mail,
          attempts: record?.attempts ?? 0,
          isStale: (record?.started_at ?? 0) < seconds() - STALE_SECONDS,
        })),
      ];
    },

    /**
     * Records that a mail is being sent, which counts as an attempt until its outcome is known.
     *
     * @returns the token of the attempt; undefined: it was sent, or another process is sending it
     */
    async begin(
      change: MailedChange,
      { mail, attempts }: UnsentMail<RecordedMail>,
    ): Promise<string | undefined> {
      const token = randomUUID();
      const isBegun = await conditionHeld(
        updateItem(table, {
          update: keyOfMail(change, mail),
          set: 'SET #state = :sending, started_at = :now, attempts = :attempts, #token = :token, expires_at = :end',
          // Another process may have begun since the record was read: then its attempt is not known here.
          condition:
            'attribute_not_exists(pk) OR (#state = :sending AND (#token = :token OR (started_at < :stale AND attempts = :known)))',
          names: { ...names, '#token': 'token' },
          values: {
            ...{ ':sending': 'sending', ':now': seconds(), ':end': seconds() + KEPT_SECONDS },
            ...{ ':attempts': attempts + 1, ':known': attempts, ':token': token },
            ':stale': seconds() - STALE_SECONDS,
          },
        }),
      );
      return isBegun ? token : undefined;
    },

    /**
     * Takes an attempt back of which it is known that it sent nothing: the mail can be sent at once.
     *
     * @param token of the attempt
     */
    async setBack(
      change: MailedChange,
      { mail, attempts }: UnsentMail<RecordedMail>,
      token: string,
    ): Promise<void> {
      await conditionHeld(
        updateItem(table, {
          update: keyOfMail(change, mail),
          set: 'SET started_at = :none, attempts = :attempts',
          condition: '#state = :sending AND #token = :token',
          names: { ...names, '#token': 'token' },
          values: { ':none': 0, ':attempts': attempts, ':sending': 'sending', ':token': token },
        }),
      );
    },

    /** Records that a mail was sent. */
    finish: (change: MailedChange, mail: RecordedMail): Promise<void> =>
      updateItem(table, {
        update: keyOfMail(change, mail),
        set: 'SET #state = :sent, started_at = :now, expires_at = :end',
        names,
        values: { ':sent': 'sent', ':now': seconds(), ':end': seconds() + KEPT_SECONDS },
      }),

    /**
     * Records that a mail is not sent again, because the outcome of too many attempts is unknown; unless another process has
     * begun to send it, or has sent it.
     */
    async giveUp(change: MailedChange, mail: RecordedMail): Promise<void> {
      await conditionHeld(
        updateItem(table, {
          update: keyOfMail(change, mail),
          set: 'SET #state = :sent, expires_at = :end',
          condition: '#state = :sending AND attempts >= :max AND started_at < :stale',
          names,
          values: {
            ...{ ':sent': 'sent', ':sending': 'sending', ':end': seconds() + KEPT_SECONDS },
            ...{ ':max': MAX_MAIL_ATTEMPTS, ':stale': seconds() - STALE_SECONDS },
          },
        }),
      );
    },

    /** How far the mails of a change came; undefined: not to the first dependent bugs. */
    async progress(change: MailedChange): Promise<Progress | undefined> {
      const { told_until, mails } = (await readItem(table, progressKey(change), mailItem)) ?? {};
      return told_until === undefined ? undefined : { after: told_until, made: mails ?? 0 };
    },

    /**
     * Records how far the mails of a change came, unless another process has come further. For earlier versions, the item is a
     * sent mail without a recipient.
     */
    async keepProgress(change: MailedChange, { after, made }: Progress): Promise<void> {
      const attributes = {
        ...{ state: 'sent', started_at: seconds(), expires_at: seconds() + KEPT_SECONDS },
        ...{ told_until: after, mails: made },
      };
      const condition = 'attribute_not_exists(told_until) OR told_until <= :after';
      await conditionHeld(
        setItem(table, progressKey(change), attributes, { condition, values: { ':after': after } }),
      );
    },

    /**
     * Counts mails of this hour, in one update: as many of those that are wanted as the hour has room for; and notes whether the
     * others wait.
     *
     * @param wanted at least one
     * @param perHour mails that are sent in an hour at most
     */
    count: (sharers: Sharers, wanted: number, perHour: number): Promise<CountedMails> =>
      retryStale('the mails of the hour', async () => {
        const time = now();
        const hour = time.toISOString().slice(0, 13);
        const read = (await readItem(table, mailHourKey(hour), mailHourItem)) ?? { sent: 0, expires_at: 0 };
        const room = roomIn(read, sharers, { wanted, perHour, now: time });
        const counted = { ...room, hour };
        const isWaiting = room.limit !== undefined;
        if (room.count > 0 || isWaiting) {
          await transactWriteRetrying(table, [countAction(counted, room.count, isWaiting)]);
        }
        return counted;
      }),

    /** Takes mails back that were counted, and not sent. */
    uncount: (counted: CountedMails, number: number): Promise<void> =>
      transactWriteRetrying(table, [countAction(counted, -number, counted.limit !== undefined)]),
  };

  /** The action that adds to the numbers of an hour. A transaction does it once, also where a response is lost. */
  function countAction(
    { hour: of, counters, waiting }: CountedMails,
    number: number,
    isWaiting: boolean,
  ): Action {
    const names = Object.fromEntries(counters.map(({ name }, at) => [`#c${at}`, name]));
    const added = Object.keys(names).map((name) => `${name} :number`);
    const action = {
      update: mailHourKey(of),
      set: `SET expires_at = :end${isWaiting ? ', #waiting = :now' : ''} ADD ${added.join(', ')}${isWaiting ? '' : ' REMOVE #waiting'}`,
      names: { ...names, '#waiting': waiting },
    };
    const values = {
      ...{ ':end': seconds() + DAY_SECONDS, ':number': number },
      ...(isWaiting ? { ':now': seconds() } : {}),
    };
    if (number <= 0) return { ...action, values };
    const before = counters.map(({ max }, at) => [`:c${at}`, max - number] as const);
    const conditions = before.map(([value], at) => `(attribute_not_exists(#c${at}) OR #c${at} <= ${value})`);
    return {
      ...action,
      condition: conditions.join(' AND '),
      values: { ...values, ...Object.fromEntries(before) },
    };
  }
}
