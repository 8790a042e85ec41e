import { describe, expect, it } from 'vitest';
import { parseRelativeTime } from '../../../lib/bugs/search/times.ts';

/** A Wednesday. */
const NOW = new Date('2024-05-15T13:45:30Z');

describe('a time told from now', () => {
  it.each([
    ['now', '2024-05-15T00:00:00Z'],
    ['NOW', '2024-05-15T00:00:00Z'],
    ['1h', '2024-05-15T12:45:30Z'],
    ['-2h', '2024-05-15T11:45:30Z'],
    ['+3h', '2024-05-15T16:45:30Z'],
    ['1hs', '2024-05-15T12:00:00Z'],
    ['-1d', '2024-05-14T13:45:30Z'],
    ['0d', '2024-05-15T00:00:00Z'],
    ['-1ds', '2024-05-14T00:00:00Z'],
    ['2w', '2024-05-01T13:45:30Z'],
    ['0ws', '2024-05-12T00:00:00Z'],
    ['-1m', '2024-04-15T13:45:30Z'],
    ['-1ms', '2024-04-01T00:00:00Z'],
    ['-1y', '2023-05-15T13:45:30Z'],
    ['1ys', '2023-01-01T00:00:00Z'],
  ])('%s', (given, expected) => {
    expect(parseRelativeTime(given, NOW)).toBe(expected);
  });

  it.each(['', 'yesterday', '1', 'd', '1x', '--1d', '1.5d', '2024-01-01', '999999999y'])(
    '%j is none',
    (given) => {
      expect(parseRelativeTime(given, NOW)).toBeUndefined();
    },
  );
});
