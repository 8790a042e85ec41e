import { describe, expect, it } from 'vitest';
import { parseRelativeTime, parseSearchTime } from '../../../lib/search/conditions/times.ts';

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

it.each([
  ['-1ds', '2024-05-14T00:00:00Z'],
  ['"2016-11-08 10:40:00"', '2016-11-08T10:40:00Z'],
  ["'Nov 8 2016'", '2016-11-08T00:00:00Z'],
  ['20161108104000', '2016-11-08T10:40:00Z'],
  ['2016-11', '2016-11-01T00:00:00Z'],
  ['1478600000', '2016-11-08T10:13:20Z'],
  ['1478600000.5', '2016-11-08T10:13:20Z'],
  ['"junk"', undefined],
  ['99999999999', undefined],
])('a time of a search %s', (given, expected) => expect(parseSearchTime(given, NOW)).toBe(expected));
