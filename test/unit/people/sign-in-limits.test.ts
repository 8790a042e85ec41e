import { describe, expect, it } from 'vitest';
import { DEFAULT_SIGN_IN_LIMITS } from '../../../lib/people/schema.ts';
import { roomFor } from '../../../lib/people/sign-in-repository.ts';
import { randomNumbers } from '../../support/random.ts';

interface Asked {
  user: number;
  source: string;
  isKnown: boolean;
}

const minute = 60;

/** One hour of requests. */
function anHour(limits = DEFAULT_SIGN_IN_LIMITS) {
  const counted: Record<string, number> = {};
  let mails = 0;
  return {
    counted: () => mails,
    /** Whether a request is mailed. */
    ask(asked: Asked): boolean {
      const room = roomFor(counted, asked, limits);
      if ('limit' in room) return false;
      for (const { name } of room.counters) counted[name] = (counted[name] ?? 0) + 1;
      mails += 1;
      return true;
    },
  };
}

describe('mails for signing in of an hour', () => {
  it('reach owners whose browsers are known, while 500 addresses ask 10,000 times for all 200 accounts', () => {
    const random = randomNumbers(7);
    const below = (count: number) => Math.floor(random() * count);
    const attack = Array.from({ length: 10_000 }, () => ({
      at: below(60 * minute),
      owner: false,
      asked: { user: 1 + below(200), source: `attacker-${below(500)}`, isKnown: false },
    }));
    const owners = Array.from({ length: 50 }, (_, index) => ({
      at: below(60 * minute),
      owner: true,
      asked: { user: 1 + 4 * index, source: `home-${index}`, isKnown: true },
    }));
    const hour = anHour();
    const mailed = [...attack, ...owners]
      .toSorted((a, b) => a.at - b.at)
      .filter(({ asked }) => hour.ask(asked));
    expect(mailed.filter(({ owner }) => owner).length).toBeGreaterThanOrEqual(49);
    expect(hour.counted()).toBeLessThanOrEqual(DEFAULT_SIGN_IN_LIMITS.perHour);
  });

  it('reach 25 people at one address on their first day, while others ask again and again for ten accounts', () => {
    const hour = anHour();
    for (let index = 0; index < 5_000; index += 1) {
      hour.ask({ user: 1 + (index % 10), source: `attacker-${index % 500}`, isKnown: false });
    }
    const people = Array.from({ length: 25 }, (_, index) => ({
      user: 100 + index,
      source: '192.0.2.1',
      isKnown: false,
    }));
    expect(people.filter((asked) => hour.ask(asked))).toHaveLength(25);
  });

  it('reach an owner in a known browser, while 4 addresses have used up what the account may have', () => {
    const hour = anHour();
    for (let index = 0; index < 40; index += 1) {
      hour.ask({ user: 1, source: `attacker-${index % 4}`, isKnown: false });
    }
    expect(hour.counted()).toBe(20);
    expect(hour.ask({ user: 1, source: 'home', isKnown: false })).toBe(false);
    expect(hour.ask({ user: 1, source: 'home', isKnown: true })).toBe(true);
  });

  it('are bounded for one user with many known browsers, and leave room for others', () => {
    const hour = anHour();
    const ask = (user: number) => hour.ask({ user, source: 'home', isKnown: true });
    expect(Array.from({ length: 100 }, () => ask(1)).filter(Boolean)).toHaveLength(5);
    expect(ask(2)).toBe(true);
  });

  it('follow the options', () => {
    const limits = { perHour: 30, perSource: 3 };
    const hour = anHour(limits);
    const ofSource = Array.from({ length: 9 }, (_, user) =>
      hour.ask({ user, source: 'office', isKnown: false }),
    );
    expect(ofSource.filter(Boolean)).toHaveLength(3);
    for (let user = 0; user < 100; user += 1) hour.ask({ user, source: `a${user}`, isKnown: false });
    expect(hour.counted()).toBe(20);
    for (let user = 0; user < 100; user += 1) hour.ask({ user, source: `a${user}`, isKnown: true });
    expect(hour.counted()).toBe(30);
  });
});
