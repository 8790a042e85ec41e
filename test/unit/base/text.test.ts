import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { characters, compareNames, compareNaturally, normalizeName } from '../../../lib/base/text.ts';

const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));

describe('normalizeName', () => {
  it('ignores case and Unicode normalization', () => {
    expect(normalizeName('ÄRGER')).toBe(normalizeName('ärger'));
    expect(normalizeName('A\u0308rger')).toBe(normalizeName('Ärger'));
    expect(normalizeName('ΣΊΣΥΦΟΣ')).toBe(normalizeName('σίσυφος'));
    expect(normalizeName('STRAßE')).toBe(normalizeName('Straße'));
  });

  it('distinguishes texts that only look alike', () => {
    expect(normalizeName('straße')).not.toBe(normalizeName('strasse'));
    expect(normalizeName('ａ')).not.toBe(normalizeName('a'));
    expect(normalizeName('a ')).not.toBe(normalizeName('a'));
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(normalizeName(normalizeName(text))).toBe(normalizeName(text));
      }),
      { numRuns: 2_000 },
    );
    for (const text of ['İ', 'ẞ', 'ǅ', '\u0345', 'ᾳ\u0345', '\u1e9b\u0323', 'K']) {
      expect(normalizeName(normalizeName(text))).toBe(normalizeName(text));
    }
  });
});

it('characters are code points', () => {
  expect(characters('')).toBe(0);
  expect(characters('naïve')).toBe(5);
  expect(characters('👍👍')).toBe(2);
  expect(characters('\ud800')).toBe(1);
});

/** Asserts that a comparison is a total order. */
function expectOrder(compare: (a: string, b: string) => number, texts: fc.Arbitrary<string>): void {
  fc.assert(
    fc.property(texts, texts, texts, (a, b, c) => {
      expect(Math.sign(compare(a, b)) + Math.sign(compare(b, a))).toBe(0);
      expect(compare(a, b) === 0).toBe(a === b);
      const [x = '', y = '', z = ''] = [a, b, c].sort(compare);
      expect(compare(x, y)).toBeLessThanOrEqual(0);
      expect(compare(y, z)).toBeLessThanOrEqual(0);
      expect(compare(x, z)).toBeLessThanOrEqual(0);
    }),
    { numRuns: 3_000 },
  );
}

describe('compareNames', () => {
  it('ignores case, except among equal names', () => {
    expect(['b', 'B', 'a', 'C', 'A'].sort(compareNames)).toEqual(['A', 'a', 'B', 'b', 'C']);
  });

  it('is a total order', () => expectOrder(compareNames, anyText));
});

describe('the natural order of versions', () => {
  it('compares numbers numerically', () => {
    const versions = ['10.0', '2.0', 'unspecified', '2.0rc1', '1.0', '0.9', '2.0.1', '2.10', '2.9'];
    expect(versions.sort(compareNaturally)).toEqual([
      ...['0.9', '1.0', '2.0', '2.0.1', '2.0rc1', '2.9', '2.10', '10.0', 'unspecified'],
    ]);
  });

  it('is a total order', () => {
    expectOrder(compareNaturally, fc.stringMatching(/^[0129a.B-]{0,24}$/));
    expectOrder(compareNaturally, fc.string({ unit: 'binary', maxLength: 64 }));
  });
});
