import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tagSuffixKeys, tagSuffixRange } from '../../lib/dynamodb/keys.ts';
import { normalizeName } from '../../lib/text.ts';

const letters = fc.string({
  unit: fc.constantFrom(...'ΛΟΓΟΣσςÄäÉéİıŉẞßAaZz09_-.'),
  minLength: 3,
  maxLength: 24,
});

describe('normalizing a name', () => {
  it('is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(normalizeName(normalizeName(text))).toBe(normalizeName(text));
      }),
    );
  });

  it.each([
    ['ΛΟΓΟΣ', 'λογοσ'],
    ['λόγος', 'ΛΌΓΟΣ'],
    ['Straße', 'STRAßE'],
  ])('finds %s as %s', (a, b) => expect(normalizeName(a)).toBe(normalizeName(b)));
});

describe('the suffixes of a tag', () => {
  it('contain every substring of the tag, in any case', () => {
    fc.assert(
      fc.property(letters, fc.nat(), fc.nat(), (tag, a, b) => {
        const characters = [...tag];
        const start = a % characters.length;
        const part = characters.slice(start, start + 1 + (b % (characters.length - start))).join('');
        for (const query of [part, part.toLowerCase(), part.toUpperCase()]) {
          // Upper case may be another text, as with ß.
          if (normalizeName(query) !== normalizeName(part)) continue;
          const { pk, prefix } = tagSuffixRange(normalizeName(query));
          expect(tagSuffixKeys(tag).some((key) => key.pk === pk && key.sk.startsWith(prefix))).toBe(true);
        }
      }),
    );
  });

  it.each([
    ['ΟΣΑΚΑ', 'ΟΣ'],
    ['ΛΟΓΟΣ', 'λογοσ'],
    ['ΛΟΓΟΣ', 'ος'],
  ])('contain those of %s that are found by %s', (tag, query) => {
    const { pk, prefix } = tagSuffixRange(normalizeName(query));
    expect(tagSuffixKeys(tag).some((key) => key.pk === pk && key.sk.startsWith(prefix))).toBe(true);
  });
});
