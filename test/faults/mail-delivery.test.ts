import { describe, expect, it } from 'vitest';
import {
  type DeliveryOutcome,
  type DeliveryServices,
  deliver,
  type MailOutcome,
  NotSent,
  Undeliverable,
  type WaitingMails,
} from '../../lib/changes/mail/deliver.ts';
import { type MailRepository, mailRepository } from '../../lib/changes/mail/repository.ts';
import { newTable } from '../support/bugless.ts';
import { allItems } from '../support/table-items.ts';

/** Instead of the 500 of the function, so that fewer mails take several portions. */
const PORTION = 25;

const CHANGE = { bug: 12, name: 'changed-3' };
const MAILS = Array.from({ length: 6 }, (_, index) => ({
  ...{ recipient: { id: index + 1 }, changer: 99, id: 'changed' },
}));
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
  const reported: MailOutcome[] = [];
  const waited: WaitingMails[] = [];
  const omitted: unknown[] = [];
  const mails = mailRepository(table, now);
  const services: DeliveryServices<TestMail> = {
    mails,
    ...{ perHour, maxMails: 10_000, portion: PORTION },
    isLate: () => false,
    send: async ({ recipient }) => {
      sent.push(recipient.id);
    },
    report: (outcome) => {
      reported.push(outcome);
    },
    reportOmitted: () => {
      omitted.push(CHANGE);
    },
    reportWaiting: (waiting) => {
      waited.push(waiting);
    },
  };
  const run = (changes: Partial<DeliveryServices<TestMail>> = {}) =>
    deliver(CHANGE, { own: MAILS }, { ...services, ...changes });
  /** The numbers of the hours. */
  const hours = async () =>
    (await allItems(table))
      .filter(({ pk }) => pk.startsWith('MAILHOUR#'))
      .map(({ pk: _, sk: __, expires_at: ___, ...counted }) => counted);
  const times = (outcome: MailOutcome) => reported.filter((one) => one === outcome).length;
  /** Sends mails but for those that have an error. */
  const sendUnless =
    (errorOf: (recipient: number) => Error | undefined) =>
    async ({ recipient }: TestMail): Promise<void> => {
      const error = errorOf(recipient.id);
      if (error !== undefined) throw error;
      sent.push(recipient.id);
    };
  return { table, sent, pass, run, services, times, waited, omitted, hours, sendUnless };
}

class Killed extends Error {}

type Step = 'send' | Exclude<keyof MailRepository, 'unsent'>;

/** What a process works with that is killed at a step of the first mail. */
function killedAt(
  step: Step,
  when: 'before' | 'after',
  { mails, send, ...services }: DeliveryServices<TestMail>,
): DeliveryServices<TestMail> {
  let isAlive = true;
  const killing =
    <A extends unknown[], R>(name: Step, call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (!isAlive) throw new Killed();
      if (name === step && when === 'before') isAlive = false;
      if (!isAlive) throw new Killed();
      const result = await call(...args).catch((error: unknown) => {
        // Its answer is never seen.
        if (name === step) isAlive = false;
        throw isAlive ? error : new Killed();
      });
      if (name === step) isAlive = false;
      if (!isAlive) throw new Killed();
      return result;
    };
  return {
    ...services,
    send: killing('send', send),
    mails: {
      unsent: (change, all) => mails.unsent(change, all),
      count: killing('count', mails.count),
      begin: killing('begin', mails.begin),
      setBack: killing('setBack', mails.setBack),
      finish: killing('finish', mails.finish),
      giveUp: killing('giveUp', mails.giveUp),
      uncount: killing('uncount', mails.uncount),
      progress: killing('progress', mails.progress),
      keepProgress: killing('keepProgress', mails.keepProgress),
    },
  };
}

const LATER_SECONDS = 600;
const THREE_HOURS_SECONDS = 10_800;
const ONCE = MAILS.map(() => 1);
const killsAt = (...steps: Step[]) =>
  steps.flatMap((step) => (['before', 'after'] as const).map((when) => ({ step, when })));
const counts = (sent: readonly number[]) =>
  MAILS.map(({ recipient }) => sent.filter((id) => id === recipient.id).length);

/** What Amazon SES answers in its sandbox. */
const refuse = async (): Promise<void> => {
  throw new NotSent('Email address is not verified');
};

describe('the mails of a change', () => {
  it('are sent once, however often the message is delivered', async () => {
    const { run, sent } = await start();
    expect([await run(), await run(), await run()]).toEqual(['done', 'done', 'done']);
    expect(counts(sent)).toEqual(ONCE);
  });

  it('are sent and counted once by two processes at the same time', async () => {
    const { run, sent, pass, hours } = await start();
    await Promise.all([run(), run()]);
    expect(await hours()).toEqual([{ sent: sent.length, user_99: sent.length, pair_99_12: sent.length }]);
    pass(LATER_SECONDS);
    expect(await run()).toBe('done');
    expect(counts(sent)).toEqual(ONCE);
  });

  const kills = killsAt('count', 'begin', 'send', 'finish');

  it.each(kills)(
    'are all sent, none more than twice, where a process is killed $when $step',
    async ({ step, when }) => {
      const { run, sent, pass, services } = await start();
      await expect(run(killedAt(step, when, services))).rejects.toThrow(Killed);
      pass(LATER_SECONDS);
      expect(await run()).toBe('done');
      const times = counts(sent);
      expect(Math.min(...times)).toBe(1);
      expect(Math.max(...times)).toBeLessThanOrEqual(2);
      // Only what was being sent when the process was killed.
      expect(times.filter((count) => count === 2).length).toBeLessThanOrEqual(4);
    },
  );

  it.each(kills)(
    'are sent twice at most where five processes are killed $when $step, and the change ends',
    async ({ step, when }) => {
      const { run, sent, pass, services, times } = await start();
      for (let kill = 0; kill < 5; kill += 1) {
        await run(killedAt(step, when, services)).catch((error: unknown) => {
          expect(error).toBeInstanceOf(Killed);
        });
        pass(LATER_SECONDS);
      }
      expect(await run()).toBe('done');
      expect(await run()).toBe('done');
      expect(Math.max(...counts(sent))).toBeLessThanOrEqual(2);
      // What may never have been sent is reported.
      const unsent = counts(sent).filter((count) => count === 0).length;
      expect(times('undeliverable')).toBeGreaterThanOrEqual(unsent);
      if (step === 'count') expect([counts(sent), times('undeliverable')]).toEqual([[1, 1, 1, 1, 1, 1], 0]);
    },
  );

  it('are sent once each after three hours of refusals, which are not counted', async () => {
    const { run, sent, pass, times } = await start(4 * MAILS.length);
    for (let passed = 0; passed < THREE_HOURS_SECONDS; passed += LATER_SECONDS) {
      await expect(run({ send: refuse })).rejects.toThrow(NotSent);
      pass(LATER_SECONDS);
    }
    expect([await run(), await run()]).toEqual(['done', 'done']);
    expect(counts(sent)).toEqual(ONCE);
    expect([times('refused'), times('sent'), times('undeliverable')]).toEqual([108, 6, 0]);
  });

  it.each(killsAt('send', 'setBack', 'uncount'))(
    'are sent once each where a process is killed $when $step after a refusal',
    async ({ step, when }) => {
      const { run, sent, pass, services } = await start();
      await expect(run({ send: refuse })).rejects.toThrow(NotSent);
      await expect(run(killedAt(step, when, { ...services, send: refuse }))).rejects.toThrow();
      pass(LATER_SECONDS);
      expect(await run()).toBe('done');
      expect(counts(sent)).toEqual(ONCE);
    },
  );

  it('are given up after two attempts of unknown outcome, and refusals between them do not count', async () => {
    const { run, sent, pass, times, table } = await start();
    const lost = async ({ recipient }: TestMail) => {
      sent.push(recipient.id);
      throw new Error('socket hang up');
    };
    for (const send of [refuse, lost, refuse, refuse, lost, refuse]) {
      await run({ send }).catch(() => undefined);
      pass(LATER_SECONDS);
    }
    expect([await run(), await run()]).toEqual(['done', 'done']);
    expect(counts(sent)).toEqual([2, 2, 2, 2, 2, 2]);
    expect(times('undeliverable')).toBe(6);
    const records = (await allItems(table)).filter(({ pk }) => pk.startsWith('MAIL#'));
    expect(records.map(({ state }) => state)).toEqual(MAILS.map(() => 'sent'));
  });

  it('of an unknown outcome are neither sent again nor given up while their process may live', async () => {
    const { run, sent, pass } = await start();
    const lost = async () => {
      throw new Error('socket hang up');
    };
    const outcomes: (DeliveryOutcome | 'failed')[] = [];
    for (const seconds of [0, 60, LATER_SECONDS, 60]) {
      pass(seconds);
      outcomes.push(await run({ send: lost }).catch(() => 'failed' as const));
    }
    expect(outcomes).toEqual(['failed', 'again', 'failed', 'again']);
    expect(sent).toEqual([]);
  });

  it('are sent again where sending fails for the moment, and failures are not counted', async () => {
    const { run, sent, sendUnless } = await start(24);
    let failures = 0;
    const send = sendUnless(() => {
      failures += 1;
      return failures <= 2 ? new NotSent('TooManyRequestsException') : undefined;
    });
    await expect(run({ send })).rejects.toThrow('TooManyRequests');
    expect(await run()).toBe('done');
    expect(counts(sent)).toEqual(ONCE);
  });

  it('do not wait for those whose sending fails again and again', async () => {
    const { run, sent, sendUnless } = await start();
    const send = sendUnless((id) => (id <= 4 ? new NotSent('unknown') : undefined));
    for (let attempt = 0; attempt < 3; attempt += 1) await expect(run({ send })).rejects.toThrow('unknown');
    expect(counts(sent)).toEqual([0, 0, 0, 0, 1, 1]);
  });

  it('do not wait for one that cannot be delivered', async () => {
    const { run, sent, times, hours, sendUnless } = await start();
    const send = sendUnless((id) => (id === 2 ? new Undeliverable('MessageRejected') : undefined));
    expect([await run({ send }), await run({ send })]).toEqual(['done', 'done']);
    expect([counts(sent), times('undeliverable')]).toEqual([[1, 0, 1, 1, 1, 1], 1]);
    expect(await hours()).toEqual([{ sent: 5, user_99: 5, pair_99_12: 5 }]);
  });

  it('wait where what the hour has released is used up, and for the next hour where the hour is', async () => {
    const { run, sent, pass, waited, hours } = await start(8);
    expect(await run()).toBe('share');
    expect(waited).toEqual([{ number: 4, user: 99, limit: 'pace' }]);
    expect(await run()).toBe('share');
    expect(sent.length).toBe(2);
    pass(46 * 60);
    expect(await run()).toBe('done');
    expect(counts(sent)).toEqual(ONCE);
    expect(await hours()).toEqual([{ sent: 6, user_99: 6, pair_99_12: 6 }]);
    const other = await start(4);
    other.pass(46 * 60);
    expect(await other.run()).toBe('hour');
    expect([other.sent.length, other.waited]).toEqual([4, [{ number: 2, user: 99, limit: 'hour' }]]);
    expect(await other.run()).toBe('hour');
    other.pass(15 * 60);
    expect(await other.run()).toBe('share');
    other.pass(46 * 60);
    expect(await other.run()).toBe('done');
    expect(counts(other.sent)).toEqual(ONCE);
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
    expect(counts(sent)).toEqual(ONCE);
  });

  it('are counted in one update, and given back where they are unsent', async () => {
    const { run, hours, times, sendUnless } = await start();
    const send = sendUnless((id) => (id > 2 ? new NotSent('throttled') : undefined));
    await expect(run({ send })).rejects.toThrow('throttled');
    expect([await hours(), times('sent')]).toEqual([[{ sent: 2, user_99: 2, pair_99_12: 2 }], 2]);
    expect(await run()).toBe('done');
    expect(await hours()).toEqual([{ sent: 6, user_99: 6, pair_99_12: 6 }]);
  });

  describe('to dependent bugs', () => {
    const BUGS = [21, 22, 23, 24];
    const PEOPLE = 15;
    const mailsTo = (bug: number) =>
      Array.from({ length: PEOPLE }, (_, index) => ({
        ...{ recipient: { id: 1_000 + index }, changer: 99, id: `dep_changed_${bug}` },
      }));

    async function startWithDependents(perHour: number, maxMails = 10_000) {
      const started = await start(perHour);
      const { services } = started;
      const asked: number[] = [];
      const sent: string[] = [];
      async function* dependents(after: number) {
        asked.push(after);
        for (const bug of BUGS) if (bug > after) yield { bug, mails: mailsTo(bug) };
      }
      const send = async ({ id, recipient }: TestMail) => {
        sent.push(`${id} ${recipient.id}`);
      };
      const given: DeliveryServices<TestMail> = { ...services, maxMails, send };
      const run = (changed = given) => deliver(CHANGE, { own: MAILS, dependents }, changed);
      return { ...started, given, run, asked, sent };
    }
    const ALL = MAILS.length + BUGS.length * PEOPLE;

    it('are sent once each, after those of the own people', async () => {
      const { run, sent, omitted } = await startWithDependents(100_000);
      expect([await run(), await run()]).toEqual(['done', 'done']);
      expect([sent.length, new Set(sent).size, omitted]).toEqual([ALL, ALL, []]);
      expect(sent.slice(0, MAILS.length).every((one) => one.startsWith('changed '))).toBe(true);
    });

    it('go on where the last receive ended', async () => {
      const { run, asked, sent, pass } = await startWithDependents(150);
      expect(await run()).toBe('share');
      expect(sent.length).toBe(43);
      pass(3_000);
      expect(await run()).toBe('done');
      expect(asked).toEqual([0, 22]);
      expect([sent.length, new Set(sent).size]).toEqual([ALL, ALL]);
    });

    it.each(killsAt('progress', 'keepProgress', 'count'))(
      'are sent once each where a process is killed $when $step',
      async ({ step, when }) => {
        const { run, given, sent, pass } = await startWithDependents(100_000);
        await expect(run(killedAt(step, when, given))).rejects.toThrow(Killed);
        pass(LATER_SECONDS);
        expect(await run()).toBe('done');
        expect([sent.length, new Set(sent).size]).toEqual([ALL, ALL]);
      },
    );

    it('do not wait for one that is refused, and are read again from there on', async () => {
      const { run, given, asked, sent } = await startWithDependents(100_000);
      const send = async (mail: TestMail) => {
        if (mail.id === 'dep_changed_21' && mail.recipient.id === 1_000) throw new NotSent('throttled');
        await given.send(mail);
      };
      await expect(run({ ...given, send })).rejects.toThrow('throttled');
      expect(sent.length).toBe(ALL - 1);
      expect(await run()).toBe('done');
      expect([sent.length, new Set(sent).size, asked]).toEqual([ALL, ALL, [0, 0]]);
    });

    it('are as many as a change may have, the own people first, and the rest is reported once', async () => {
      const { run, pass, sent, omitted } = await startWithDependents(100, 40);
      expect(await run()).toBe('share');
      expect(omitted).toEqual([]);
      pass(3_600);
      expect(await run()).toBe('done');
      expect([sent.length, new Set(sent).size, omitted.length]).toEqual([40, 40, 1]);
      const own = await startWithDependents(300, 4);
      expect(await own.run()).toBe('done');
      expect([own.sent.length, own.asked, own.omitted.length]).toEqual([4, [], 1]);
      const cut = await startWithDependents(300);
      const planned = { own: MAILS, isCut: true };
      expect(await deliver(CHANGE, planned, cut.given)).toBe('done');
      expect([cut.sent.length, cut.omitted.length]).toEqual([MAILS.length, 1]);
      const all = await startWithDependents(100_000, ALL);
      expect(await all.run()).toBe('done');
      expect([all.sent.length, all.omitted]).toEqual([ALL, []]);
    });
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
