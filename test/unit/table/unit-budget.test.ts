import { describe, expect, it } from 'vitest';
import { UnitBudget } from '../../../lib/table/request-budget.ts';
import { RetriesExhausted } from '../../../lib/table/retry.ts';

class Exceeded extends Error {}
const budget = (max: number) => new UnitBudget(max, () => new Exceeded());

/** Whether a reservation is made at once. */
async function isMade(reservation: Promise<void>): Promise<boolean> {
  const later = new Promise<'later'>((resolve) => setImmediate(resolve, 'later'));
  return (await Promise.race([reservation.then(() => 'made'), later])) === 'made';
}

describe('a budget of read units', () => {
  it('lets calls run at the same time as far as it has what they may take', async () => {
    const units = budget(100);
    expect(await isMade(units.reserve(40))).toBe(true);
    expect(await isMade(units.reserve(60))).toBe(true);
    const third = units.reserve(10);
    expect(await isMade(third)).toBe(false);
    units.settle(40, 5);
    expect(await isMade(third)).toBe(true);
  });

  it('refuses what waits when the calls before have taken everything', async () => {
    const units = budget(100);
    await units.reserve(100);
    const waiting = units.reserve(1);
    units.settle(100, 100);
    await expect(waiting).rejects.toThrow(Exceeded);
  });

  it('is exceeded by one call at most, that runs alone', async () => {
    const units = budget(100);
    await units.reserve(10);
    units.settle(10, 99);
    await units.reserve(50);
    expect(await isMade(units.reserve(50).catch(() => undefined))).toBe(false);
    units.settle(50, 50);
    await expect(units.reserve(1)).rejects.toThrow(Exceeded);
  });

  it('keeps what calls without a response may have taken; what that alone refuses is unavailable, not too much', async () => {
    const units = budget(100);
    const cause = new Error('socket hang up');
    await units.reserve(60);
    units.settleUnanswered(60, cause);
    expect(units.used).toBe(60);
    await units.reserve(40);
    units.settle(40, 40);
    await expect(units.reserve(1)).rejects.toMatchObject({ name: 'RetriesExhausted', cause });
    expect(() => units.count(1)).toThrow(RetriesExhausted);
    expect(() => units.count(60)).toThrow(Exceeded);
  });

  it('may get more, for those that wait, too', async () => {
    const units = budget(10);
    await units.reserve(10);
    const waiting = units.reserve(50);
    units.limit(100);
    units.settle(10, 10);
    expect(await isMade(waiting)).toBe(true);
  });

  it('refuses what is counted beyond it', () => {
    const units = budget(10);
    units.count(10);
    expect(() => units.count(1)).toThrow(Exceeded);
  });
});
