import { expect, it } from 'vitest';
import { collate } from '../../../lib/base/text.ts';
import { valuesTest } from '../../../lib/search/conditions/operators.ts';
import { RequestBudget } from '../../../lib/table/request-budget.ts';

/** CPU time in milliseconds. */
function cpuOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

it('texts of combining marks are compared in little CPU, again and again', () => {
  const texts = Array.from({ length: 20 }, (_, n) => `${n}a${'\u0301'.repeat(3_900)}`);
  const again = Array.from({ length: 90 }, () => texts).flat();
  expect(cpuOf(() => again.map(collate))).toBeLessThan(1_000);
});

it('50 words are compared with long texts in little CPU, and with too many of them not at all', () => {
  const work = new RequestBudget();
  const words = Array.from({ length: 50 }, (_, n) => 'a'.repeat(n + 1));
  const test = valuesTest('anywords', words.join(' '), 'text', false, work);
  const compare = () => test?.(['a'.repeat(65_000)]);
  const all = () => {
    for (let n = 0; n < 30; n += 1) expect(compare()).toBe(false);
  };
  expect(cpuOf(all)).toBeLessThan(5_000);
  expect(compare).toThrow('100 million characters');
});
