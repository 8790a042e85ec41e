import { expect, it } from 'vitest';
import { type Clock, type Pacer, pacer } from '../../../lib/table/pacer.ts';
import { RetriesExhausted, withDeadline } from '../../../lib/table/retry.ts';
import { times } from '../../support/times.ts';

/** A clock that moves on when everything waits for it, until a time in milliseconds. */
function virtualClock() {
  let time = 0;
  const sleeping: { until: number; wake: () => void }[] = [];
  const clock: Clock = {
    now: () => time,
    sleep: (ms) => new Promise<void>((wake) => sleeping.push({ until: time + ms, wake })),
  };
  const runUntil = async (end: number) => {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      sleeping.sort((a, b) => b.until - a.until);
      const next = sleeping.pop();
      if (next === undefined || next.until > end) return;
      time = next.until;
      next.wake();
    }
  };
  return { clock, runUntil };
}

const LIMIT = 4_000;
const FULL_RATE = 2_000;
const PAGE = 100;
const CALL_MS = 20;

/** A table that throttles what is over its limit, and counts by seconds. */
function simulatedTable({ now, sleep }: Clock) {
  let left = LIMIT;
  let refilled = 0;
  const units: number[] = [];
  const throttled: number[] = [];
  const add = (counts: number[], amount: number) => {
    const second = Math.floor(now() / 1_000);
    counts[second] = (counts[second] ?? 0) + amount;
  };
  return {
    units,
    throttled,
    /** @returns whether a read was accepted */
    async read(used: number): Promise<boolean> {
      await sleep(CALL_MS);
      left = Math.min(LIMIT, left + ((now() - refilled) / 1_000) * LIMIT);
      refilled = now();
      if (left <= 0) {
        add(throttled, 1);
        return false;
      }
      left -= used;
      add(units, used);
      return true;
    },
  };
}

async function readAll(table: ReturnType<typeof simulatedTable>, pace: Pacer, pages: number): Promise<void> {
  for (let page = 0; page < pages; ) {
    const taken = await pace.take();
    const isAccepted = await table.read(PAGE);
    if (isAccepted) {
      pace.settle(taken, PAGE);
      page += 1;
    } else pace.slowDown();
  }
}

const sum = (counts: readonly (number | undefined)[]) =>
  counts.reduce<number>((all, one = 0) => all + one, 0);

it('a single reader takes half of what the table allows', async () => {
  const { clock, runUntil } = virtualClock();
  const table = simulatedTable(clock);
  const pace = pacer(FULL_RATE, clock);
  void Promise.all(times(8, () => readAll(table, pace, 100)));
  await runUntil(10_000);
  expect(sum(table.throttled)).toBe(0);
  // A quarter of a second's units may be taken at once, and those of the calls that run then.
  for (const units of table.units) expect(units).toBeLessThan(1.5 * FULL_RATE);
  for (const second of [1, 2, 3]) expect(table.units[second]).toBeGreaterThan(0.9 * FULL_RATE);
});

it('ten readers share what the table allows, so that others are hardly throttled', async () => {
  const { clock, runUntil } = virtualClock();
  const table = simulatedTable(clock);
  const readers = times(10, () => pacer(FULL_RATE, clock));
  void Promise.all(readers.flatMap((pace) => times(8, () => readAll(table, pace, 1_000))));
  const others = { accepted: 0, refused: 0 };
  void (async () => {
    for (;;) {
      await clock.sleep(37);
      if (await table.read(1)) others.accepted += 1;
      else others.refused += 1;
    }
  })();
  await runUntil(30_000);
  expect(sum(table.units)).toBeGreaterThan(30 * FULL_RATE);
  expect(others.refused).toBeLessThan(0.1 * others.accepted);
});

it('a reader is at its full rate again some time after it was throttled', async () => {
  const { clock, runUntil } = virtualClock();
  const table = simulatedTable(clock);
  const pace = pacer(FULL_RATE, clock);
  for (let signs = 0; signs < 10; signs += 1) {
    pace.slowDown();
    void clock.sleep(1_000);
    await runUntil(clock.now() + 1_000);
  }
  const slowest = clock.now();
  void readAll(table, pace, 10_000);
  await runUntil(slowest + 50_000);
  expect(table.units.at(-2)).toBeGreaterThan(0.9 * FULL_RATE);
  expect(sum(table.units.slice(0, slowest / 1_000 + 5))).toBeLessThan(5 * 0.3 * FULL_RATE);
});

it('what is not available before the deadline is refused at once, and not taken', async () => {
  const { clock } = virtualClock();
  const pace = pacer(1, clock);
  await expect(withDeadline(5_000, () => pace.take(10))).rejects.toThrow(RetriesExhausted);
  void pace.take(1);
  expect(await Promise.race([pace.take(0), 'waits'])).toBe('waits');
});

it('what nobody has seen is not waited for, and delays what follows where it was much', async () => {
  const { clock } = virtualClock();
  const pace = pacer(FULL_RATE, clock);
  const taken = await Promise.all(times(4, () => pace.take()));
  for (const units of taken) pace.settle(units, 256);
  expect(await Promise.race([pace.take(), 'waits'])).toBe('waits');
});
