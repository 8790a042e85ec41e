import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLooseTime } from '../../../lib/base/loose-time.ts';
import { parseTime, timestamp } from '../../../lib/base/time.ts';

describe('parseTime parses', () => {
  const forms: [string, string][] = [
    ['2024-01-02', '2024-01-02T00:00:00Z'],
    ['2024-01-02T03:04', '2024-01-02T03:04:00Z'],
    ['2024-01-02 03:04', '2024-01-02T03:04:00Z'],
    ['2024-01-02T03:04:05', '2024-01-02T03:04:05Z'],
    ['2024-01-02 03:04:05', '2024-01-02T03:04:05Z'],
    ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05Z'],
    ['2024-01-02t03:04:05z', '2024-01-02T03:04:05Z'],
    ['2024-01-02T03:04:05.999Z', '2024-01-02T03:04:05Z'],
    ['2024-01-02T03:04:05,5', '2024-01-02T03:04:05Z'],
    ['2024-01-02T03:04:05+01:00', '2024-01-02T02:04:05Z'],
    ['2024-01-02T03:04:05+0130', '2024-01-02T01:34:05Z'],
    ['2024-01-02T03:04:05-05', '2024-01-02T08:04:05Z'],
    ['2024-01-02 03:04:05 +01:00', '2024-01-02T02:04:05Z'],
    ['2024-01-01T00:30:00+01:00', '2023-12-31T23:30:00Z'],
    ['20240102', '2024-01-02T00:00:00Z'],
    ['20240102T030405', '2024-01-02T03:04:05Z'],
    ['20240102T0304', '2024-01-02T03:04:00Z'],
    ['20240102T030405Z', '2024-01-02T03:04:05Z'],
    ['20240102T030405-0100', '2024-01-02T04:04:05Z'],
    ['2024/01/02', '2024-01-02T00:00:00Z'],
    ['2024/01/02 03:04:05', '2024-01-02T03:04:05Z'],
    ['Tue, 02 Jan 2024 03:04:05 GMT', '2024-01-02T03:04:05Z'],
    ['Tue, 2 Jan 2024 03:04:05 +0100', '2024-01-02T02:04:05Z'],
    ['2 jan 2024 03:04 EST', '2024-01-02T08:04:00Z'],
    [' 2024-01-02 ', '2024-01-02T00:00:00Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['0001-01-01', '0001-01-01T00:00:00Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
  ];
  it.for(forms)('%s as %s', ([given, expected]) => {
    expect(parseTime(given)).toBe(expected);
  });

  it('any time in any zone', () => {
    const years = { min: new Date('0002-01-01'), max: new Date('9998-12-31'), noInvalidDate: true };
    const minutes = fc.integer({ min: -23 * 60, max: 23 * 60 });
    fc.assert(
      fc.property(fc.date(years), minutes, (date, offset) => {
        const expected = timestamp(date);
        expect(parseTime(expected)).toBe(expected);
        expect(parseTime(date.toISOString())).toBe(expected);
        expect(parseTime(date.toUTCString())).toBe(expected);
        const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, 19);
        expect(parseTime(local + zoneOf(offset))).toBe(expected);
      }),
    );
  });
});

function zoneOf(offset: number): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const minutes = Math.abs(offset);
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

describe('parseTime refuses', () => {
  const impossible = [
    ...['', ' ', 'x', 'now', 'yesterday', '5', '1704164645', '2024', '2024-01', '2024-1-2'],
    ...['2024-02-30', '2023-02-29', '2024-13-01', '2024-00-01', '2024-01-00', '2024-04-31'],
    ...['2024-01-02T24:00:00', '2024-01-02T03:60', '2024-01-02T03:04:60', '2024-01-02T3:04', '2024-01-02T'],
    ...['2024-01-02T03:04:05+24:00', '2024-01-02T03:04:05+01:60', '2024-01-02T03:04:05 CEST', '20240230'],
    ...['Tue, 30 Feb 2024 03:04:05 GMT', '2 Foo 2024 03:04:05', '2024-01-02 and more', '٢٠٢٤-٠١-٠٢'],
    ...['0000-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00', '2024-01-02\n2024-01-03', 'NaN'],
  ];
  it.for(impossible)('%j', (given) => {
    expect(parseTime(given)).toBeUndefined();
  });

  it('any other text', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[\dTZ:+./ -]{0,30}$/)),
        (given) => {
          const parsed = parseTime(given);
          if (parsed !== undefined) expect(parsed).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

it.each([
  ['2016/11/8 9:05', '2016-11-08T09:05:00Z'],
  ['11/8/69', '1969-11-08T00:00:00Z'],
  ['November 8th, 2016 3pm', '2016-11-08T15:00:00Z'],
  ['8-Nov-2016', '2016-11-08T00:00:00Z'],
  ['8 Sept 2016 10:40', '2016-09-08T10:40:00Z'],
  ['Tuesday, 08 Nov 2016 10:40:00 GMT', '2016-11-08T10:40:00Z'],
  ['10:40am 8 may 2016', '2016-05-08T10:40:00Z'],
  ['2016-11-08 12:40 am', '2016-11-08T00:40:00Z'],
  ['2016-11-08 10:40 p.m.', '2016-11-08T22:40:00Z'],
  ['2016-11-08 10:40 (local) CEST', '2016-11-08T08:40:00Z'],
  ['2016-11-08 10:40 +2', '2016-11-08T08:40:00Z'],
])('parseLooseTime parses, beside what is recorded: %s', (given, expected) =>
  expect(parseLooseTime(given)).toBe(expected),
);

it.each([
  ...['', 'junk', 'today', 'yesterday', 'last week', '2 days ago', 'Mon', 'Nov 8', 'am', '2016-W45'],
  ...['2016-11', '2016-313'],
  ...['2016-02-30', '2016-11-08 24:00', '2016-11-08 25:00', '2016-11-08 13:00 pm', '31/12/2016', '1d'],
  ...['-1.5d'],
  ...['"2016-11-08"', '1478600000', '20161108104000', '2016-11-08 junk junk', '2016 2016', '٢٠١٦-١١-٠٨'],
])('parseLooseTime refuses %j', (given) => expect(parseLooseTime(given)).toBeUndefined());
