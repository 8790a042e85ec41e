import { describe, expect, it } from 'vitest';
import { type DeliveryServices, deliver, Undeliverable } from '../../lib/mail/deliver.ts';
import { type MailRepository, mailRepository } from '../../lib/mail/repository.ts';
import { newTable } from '../support/bugless.ts';
import { allItems } from '../support/table-items.ts';

const CHANGE = { bug: 12, name: 'changed-3' };
const MAILS = Array.from({ length: 6 }, (_, index) => ({ recipient: { id: index + 1 }, id: 'changed' }));
type TestMail = (typeof MAILS)[number];

/** A clock that only the test moves. */
function clock() {
  let time = Date.parse('2026-01-02T03:04:05Z');
  return {
    now: () => new Date(time),
    pass(seconds: number) {
      time += seconds * 1_000;
    },
  };
}

async function start(perHour = 1_000) {
  const { now, pass } = clock();
  const table = await newTable();
  const sent: number[] = [];
  const mails = mailRepository(table, now);
  const services: DeliveryServices<TestMail> = {
    mails,
    perHour,
    isLate: () => false,
    send: async ({ recipient }) => {
      sent.push(recipient.id);
    },
    reportUndeliverable: () => undefined,
  };
  const run = (changes: Partial<DeliveryServices<TestMail>> = {}) =>
    deliver(CHANGE, MAILS, { ...services, ...changes });
  return { table, sent, pass, run, mails };
}

class Killed extends Error {}

/** The repository of a process that is killed at a step of the first mail. */
function killedAt(
  step: keyof MailRepository,
  when: 'before' | 'after',
  mails: MailRepository,
): MailRepository {
  let isAlive = true;
  const killing =
    <A extends unknown[], R>(name: keyof MailRepository, call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (!isAlive) throw new Killed();
      if (name === step && when === 'before') isAlive = false;
      if (!isAlive) throw new Killed();
      const result = await call(...args);
      if (name === step) isAlive = false;
      if (!isAlive) throw new Killed();
      return result;
    };
  return {
    unsent: (change, all) => mails.unsent(change, all),
    count: killing('count', mails.count),
    begin: killing('begin', mails.begin),
    finish: killing('finish', mails.finish),
    uncount: killing('uncount', mails.uncount),
  };
}

const LATER_SECONDS = 600;
const counts = (sent: readonly number[]) =>
  MAILS.map(({ recipient }) => sent.filter((id) => id === recipient.id).length);

describe('the mails of a change', () => {
  it('are sent once, however often the message is delivered', async () => {
    const { run, sent } = await start();
    expect([await run(), await run(), await run()]).toEqual(['done', 'done', 'done']);
    expect(counts(sent)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('are sent once by two processes at the same time', async () => {
    const { run, sent, pass } = await start();
    await Promise.all([run(), run()]);
    pass(LATER_SECONDS);
    expect(await run()).toBe('done');
    expect(counts(sent)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  const steps = ['count', 'begin', 'finish'] as const;
  it.each(steps.flatMap((step) => (['before', 'after'] as const).map((when) => ({ step, when }))))(
    'are all sent, none more than twice, where a process is killed $when $step',
    async ({ step, when }) => {
      const { run, sent, pass, mails } = await start();
      await expect(run({ mails: killedAt(step, when, mails) })).rejects.toThrow(Killed);
      pass(LATER_SECONDS);
      expect(await run()).toBe('done');
      const times = counts(sent);
      expect(Math.min(...times)).toBe(1);
      expect(Math.max(...times)).toBeLessThanOrEqual(2);
      // Only what was being sent when the process was killed.
      expect(times.filter((count) => count === 2).length).toBeLessThanOrEqual(4);
    },
  );

  it('are sent again where sending fails for the moment, and failures are not counted', async () => {
    const { run, sent, pass } = await start(6);
    let failures = 0;
    const send = async ({ recipient }: TestMail) => {
      failures += 1;
      if (failures <= 2) throw new Error('TooManyRequestsException');
      sent.push(recipient.id);
    };
    await expect(run({ send })).rejects.toThrow('TooManyRequests');
    pass(LATER_SECONDS);
    expect(await run()).toBe('done');
    expect(counts(sent)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('do not wait for those whose sending fails again and again', async () => {
    const { run, sent, pass } = await start();
    const send = async ({ recipient }: TestMail) => {
      if (recipient.id <= 4) throw new Error('unknown');
      sent.push(recipient.id);
    };
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(run({ send })).rejects.toThrow('unknown');
      pass(LATER_SECONDS);
    }
    expect(counts(sent)).toEqual([0, 0, 0, 0, 1, 1]);
  });

  it('do not wait for one that cannot be delivered', async () => {
    const { run, sent } = await start();
    const reported: TestMail[] = [];
    const send = async ({ recipient }: TestMail) => {
      if (recipient.id === 2) throw new Undeliverable('MessageRejected');
      sent.push(recipient.id);
    };
    const reportUndeliverable = (mail: TestMail) => void reported.push(mail);
    expect([await run({ send, reportUndeliverable }), await run({ send })]).toEqual(['done', 'done']);
    expect([counts(sent), reported.length]).toEqual([[1, 0, 1, 1, 1, 1], 1]);
  });

  it('wait for the next hour where as many were sent as may be', async () => {
    const { run, sent, pass } = await start(4);
    expect(await run()).toBe('hour');
    expect(sent.length).toBe(4);
    expect(await run()).toBe('hour');
    pass(3_600);
    expect(await run()).toBe('done');
    expect(counts(sent)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('are left where the time is over', async () => {
    const { run, sent } = await start();
    let isLate = false;
    const send = async ({ recipient }: TestMail) => {
      sent.push(recipient.id);
      isLate = true;
    };
    expect(await run({ send, isLate: () => isLate })).toBe('again');
    expect(await run()).toBe('done');
    expect(counts(sent)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('leave records that stay longer than messages in their queue', async () => {
    const { run, table } = await start();
    await run();
    const items = (await allItems(table)).filter(({ pk }) => pk.startsWith('MAIL'));
    const [hour, ...records] = items.sort((a) => (a.pk.startsWith('MAILHOUR') ? -1 : 1));
    expect(hour?.['expires_at']).toBe(Date.parse('2026-01-03T03:04:05Z') / 1_000);
    const end = Date.parse('2026-01-17T03:04:05Z') / 1_000;
    expect(records.map(({ expires_at }) => expires_at)).toEqual(records.map(() => end));
    expect(items.length).toBe(MAILS.length + 1);
  });
});
