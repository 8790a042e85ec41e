import { describe, expect, it } from 'vitest';
import { type MailHour, type Room, roomIn, type Sharers } from '../../../../lib/changes/mail/shares.ts';
import { randomNumbers } from '../../../support/random.ts';

const at = (time: string) => new Date(`2026-01-02T03:${time}Z`);
const EMPTY: MailHour = { sent: 0, expires_at: 0 };

/** The room of a change of user 1 in bug 2. */
const room = (hour: object, wanted: number, { now = at('00:00'), perHour = 1_000 } = {}) =>
  roomIn({ ...EMPTY, ...hour }, { user: 1, bug: 2 }, { wanted, perHour, now });

/** An hour after mails were counted, as the repository writes it. */
function after(hour: MailHour, { count, counters, waiting, limit }: Room, now: Date): MailHour {
  const next = { ...hour };
  for (const { name } of counters) next[name] = Number(next[name] ?? 0) + count;
  if (limit === undefined) delete next[waiting];
  else next[waiting] = Math.floor(now.getTime() / 1_000);
  return next;
}

describe('the mails of an hour', () => {
  const waitsSince = at('05:00').getTime() / 1_000;
  it.each([
    ['a small change', {}, 10, 10, undefined],
    ['a large change, which leaves a tenth to small ones', {}, 300, 225, 'pace'],
    ['a large change after that', { sent: 225, user_1: 225 }, 11, 0, 'pace'],
    ['a small one of the same user', { sent: 225, user_1: 225 }, 10, 10, undefined],
    ['one of others', { sent: 225, user_3: 225, pair_3_2: 225 }, 10, 10, undefined],
    ['one where all is used that is released', { sent: 250 }, 1, 0, 'pace'],
  ])('have room for %s', (_, hour, wanted, count, limit) => {
    expect(room(hour, wanted)).toMatchObject({ count, limit });
  });

  it.each([
    ['another user who had less waits', { user_1: 100, user_3: 5, wait_3_9: waitsSince }, 0, 'user'],
    ['another user who had as much waits', { user_1: 30, user_3: 30, wait_3_9: waitsSince }, 5, 'user'],
    ['another user who had more waits', { user_1: 30, user_3: 60, wait_3_9: waitsSince }, 35, 'user'],
    ['another bug of the user that had less waits', { pair_1_2: 50, wait_1_9: waitsSince }, 0, 'bug'],
    ['it waits itself', { user_1: 100, pair_1_2: 100, wait_1_2: waitsSince }, 50, undefined],
    ['another one waited long ago', { user_1: 100, wait_3_9: waitsSince - 901 }, 50, undefined],
  ])('have room by turns: %s', (_, hour, count, limit) => {
    expect(room({ sent: 100, ...hour }, 50, { now: at('05:00') })).toMatchObject({ count, limit });
  });

  it.each([
    ['22:30', 563],
    ['45:00', 1_000],
    ['59:59', 1_000],
  ])('are released little by little: until %s %i', (time, count) => {
    expect(room({}, 2_000, { now: at(time) }).count).toBe(count);
  });

  it('wait for the next hour where all are sent', () => {
    expect(room({ sent: 1_000 }, 1, { now: at('45:00') })).toMatchObject({ count: 0, limit: 'hour' });
  });

  it.each([1, 2, 3, 4])('have room for one of each user where there are %i', (perHour) => {
    expect(room({}, 5, { perHour })).toMatchObject({ count: 1 });
  });

  it('have a bounded number of numbers, however many users and bugs there are', () => {
    let hour = EMPTY;
    for (let id = 1; id <= 600; id += 1) {
      const one = roomIn(hour, { user: id, bug: id }, { wanted: 1, perHour: 100_000, now: at('00:00') });
      expect(new Set(one.counters.map(({ name }) => name)).size).toBe(3);
      hour = after(hour, one, at('00:00'));
    }
    expect(Object.keys(hour).length).toBeLessThanOrEqual(510);
    expect(hour).toMatchObject({ sent: 600, user_1: 1 });
    expect(JSON.stringify(hour).length).toBeLessThan(16_000);
  });
});

/** Mails that each user got in an hour of 1,000, whose changes have 25 mails each and ask again as messages of the queue do. */
function anHour(changes: readonly (Sharers & { from: number })[]): Map<number, number> {
  const random = randomNumbers(1);
  const sent = new Map<number, number>();
  let hour = EMPTY;
  const queue = changes.map(({ from, ...sharers }) => ({ ...sharers, left: 25, time: from * 60 }));
  for (;;) {
    const [next] = queue
      .filter(({ left, time }) => left > 0 && time < 3_600)
      .toSorted((a, b) => a.time - b.time);
    if (next === undefined) return sent;
    const now = new Date(at('00:00').getTime() + next.time * 1_000);
    const one = roomIn(hour, next, { wanted: next.left, perHour: 1_000, now });
    hour = after(hour, one, now);
    next.left -= one.count;
    next.time += 180 + Math.floor(random() * 300);
    sent.set(next.user, (sent.get(next.user) ?? 0) + one.count);
  }
}

const changesOf = (user: number, number: number, from = 0) =>
  Array.from({ length: number }, (_, index) => ({ user, bug: index % 3, from: from + index / 100 }));

describe('in an hour, a fair queue', () => {
  it('lets one user have all mails', () => {
    expect(anHour(changesOf(1, 100)).get(1)).toBe(1_000);
  });

  it.each([
    [4, 200],
    [40, 15],
  ])('shares between %i users who all want more, each of whom gets %i or more', (users, min) => {
    const all = Array.from({ length: users }, (_, user) =>
      changesOf(user, 4 * Math.ceil(40 / users), user / 60),
    );
    const sent = anHour(all.flat());
    expect(sent.size).toBe(users);
    expect(Math.min(...sent.values())).toBeGreaterThanOrEqual(min);
    expect(Math.max(...sent.values())).toBeLessThanOrEqual(1_000);
  });

  it('lets those who come later catch up with one who has used what was released', () => {
    const sent = anHour([...changesOf(1, 100), ...[2, 3].flatMap((user) => changesOf(user, 100, 10))]);
    expect(Math.min(sent.get(2) ?? 0, sent.get(3) ?? 0)).toBeGreaterThan(225);
  });

  it('mails others of a bug at once, on which one user has written five comments to 25 people', () => {
    const five = Array.from({ length: 5 }, () => ({ user: 1, bug: 7, from: 0 }));
    expect(anHour([...five, { user: 2, bug: 7, from: 1 }])).toEqual(
      new Map([
        [1, 125],
        [2, 25],
      ]),
    );
  });

  it('shares between the bugs of a user', () => {
    let hour: MailHour = { ...EMPTY, sent: 250, user_1: 250, pair_1_1: 250 };
    const waiting = roomIn(hour, { user: 1, bug: 2 }, { wanted: 25, perHour: 1_000, now: at('00:00') });
    hour = after(hour, waiting, at('00:00'));
    const now = at('05:00');
    expect(roomIn(hour, { user: 1, bug: 1 }, { wanted: 25, perHour: 1_000, now })).toMatchObject({
      count: 0,
      limit: 'bug',
    });
    expect(roomIn(hour, { user: 1, bug: 2 }, { wanted: 25, perHour: 1_000, now })).toMatchObject({
      count: 25,
    });
  });
});
