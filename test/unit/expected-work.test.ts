import { describe, expect, it } from 'vitest';
import { expectedWork } from '../../infra/import/expected-work.ts';

describe('what an import will take', () => {
  it.each([
    [
      20_000,
      5,
      '20000 bugs to read: about 22200 requests',
      'at least 91 min at 5 requests a second, and 500 MB',
    ],
    [
      50_000,
      5,
      '50000 bugs to read: about 55500 requests',
      'at least 3.8 h at 5 requests a second, and 650 MB',
    ],
    [
      1_000,
      100,
      '1000 bugs to read: about 1110 requests',
      'at least 2 min at 100 requests a second, and 405 MB',
    ],
  ])('of %i bugs at %i requests a second', (bugs, rate, start, end) => {
    const line = expectedWork(bugs, rate);
    expect(line).toMatch(new RegExp(`^${start}`));
    expect(line).toContain(end);
  });

  it('is not said where it is less than a minute', () => expect(expectedWork(100, 5)).toBeUndefined());
});
