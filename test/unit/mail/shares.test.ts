import { describe, expect, it } from 'vitest';
import type { MailHour } from '../../../lib/mail/shares.ts';
import { roomIn, untilShared } from '../../../lib/mail/shares.ts';

const EARLY = new Date('2026-01-02T03:04:05Z');
const LATE = new Date('2026-01-02T03:50:00Z');
const EMPTY: MailHour = { sent: 0, expires_at: 0 };

/** The room of a change of user 1 in bug 2. */
const room = (hour: object, wanted: number, { now = EARLY, perHour = 1_000 } = {}) =>
  roomIn({ ...EMPTY, ...hour }, { user: 1, bug: 2 }, { wanted, perHour, now });

describe('the mails of an hour', () => {
  it.each([
    ['a small change', {}, 10, 10, undefined],
    ['a large change, which leaves a tenth of its share', {}, 300, 225, 'user'],
    ['a large change of a user who has used that', { sent: 225, user_1: 225 }, 11, 0, 'user'],
    ['a small one of the same user', { sent: 225, user_1: 225 }, 10, 10, undefined],
    ['one of a user whose share is used up', { sent: 250, user_1: 250 }, 1, 0, 'user'],
    ['one in a bug whose share is used up', { sent: 250, bug_2: 250 }, 1, 0, 'bug'],
    ['one in a bug whose share is nearly used up', { sent: 250, bug_2: 247 }, 10, 3, 'bug'],
    ['one in an hour that is used up', { sent: 1_000 }, 1, 0, 'hour'],
    ['one in an hour of which version 1.1.0 counted more', { sent: 1_003 }, 1, 0, 'hour'],
    ['one of others', { sent: 750, user_3: 250, bug_4: 250 }, 10, 10, undefined],
  ])('have room for %s', (_, hour, wanted, count, limit) => {
    expect(room(hour, wanted)).toMatchObject({ count, limit });
  });

  it.each([
    [{ sent: 250, user_1: 250, bug_2: 250 }, 900, 750, 'hour'],
    [{ sent: 250, user_1: 250, bug_2: 250 }, 750, 750, undefined],
  ])('are for everybody in the last ten minutes', (hour, wanted, count, limit) => {
    expect(room(hour, wanted, { now: LATE })).toMatchObject({ count, limit });
  });

  it.each([1, 2, 3, 4])('have room for one of each user where there are %i', (perHour) => {
    expect(room({}, 5, { perHour })).toMatchObject({ count: 1 });
  });

  it('have at most 500 numbers, however many users and bugs there are', () => {
    let hour = EMPTY;
    for (let id = 1; id <= 3_000; id += 1) {
      const { counters } = roomIn(hour, { user: id, bug: id }, { wanted: 1, perHour: 100_000, now: EARLY });
      const names = counters.map(({ name }) => name);
      expect(new Set(names).size).toBe(3);
      hour = { ...hour, ...Object.fromEntries(names.map((name) => [name, Number(hour[name] ?? 0) + 1])) };
    }
    expect(Object.keys(hour).length).toBeLessThanOrEqual(500);
    expect(hour).toMatchObject({ sent: 3_000, user_1: 1 });
    expect(JSON.stringify(hour).length).toBeLessThan(10_000);
  });

  it.each([
    ['03:00:00', 3_000],
    ['03:49:59', 1],
    ['03:50:00', 0],
    ['03:59:59', 0],
  ])('are shared at %s for %i seconds', (time, seconds) => {
    expect(untilShared(new Date(`2026-01-02T${time}Z`))).toBe(seconds * 1_000);
  });
});
