import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canBeKey } from '../../../lib/base/names.ts';
import { normalizeName } from '../../../lib/base/text.ts';
import { timestamp } from '../../../lib/base/time.ts';
import {
  aliasKey,
  commentKey,
  commentRange,
  productIndexKey,
  productNameKey,
  queuedCommentKey,
  queuedCommentRange,
  tagKey,
  tagSuffixKeys,
  tagSuffixRange,
  userKey,
} from '../../../lib/table/keys.ts';

const byteOrder = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

describe('comments', () => {
  const time = fc
    .date({ min: new Date('1970-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map(timestamp);
  const count = fc.integer({ min: 0, max: 9_999_999_999 });
  const keyOf = (creation_time: string, place: number) =>
    commentKey({ bug_id: 1, creation_time, count: place });

  it('are ordered by time, then count', () => {
    fc.assert(
      fc.property(time, count, time, count, (timeA, countA, timeB, countB) => {
        const order = byteOrder(keyOf(timeA, countA).sk, keyOf(timeB, countB).sk);
        expect(Math.sign(order)).toBe(Math.sign(byteOrder(timeA, timeB) || countA - countB));
      }),
    );
  });

  it('are in the range since a time exactly when they are newer', () => {
    fc.assert(
      fc.property(time, time, count, (since, written, number) => {
        const { sk } = keyOf(written, number);
        const { from, to } = commentRange(since);
        expect(sk >= from && sk <= to).toBe(written > since);
        const all = commentRange();
        expect(sk >= all.from && sk <= all.to).toBe(true);
      }),
    );
  });

  it('are in another range than queued comments and the bug', () => {
    const { from, to } = commentRange();
    const waiting = queuedCommentKey(1, 5);
    expect(waiting.pk).toBe(keyOf('2024-01-01T00:00:00Z', 0).pk);
    expect(waiting.sk.startsWith(queuedCommentRange(1).prefix)).toBe(true);
    for (const sk of [waiting.sk, 'BUG']) expect(sk >= from && sk <= to).toBe(false);
  });
});

it('ids in sort keys are ordered numerically', () => {
  const id = fc.integer({ min: 0, max: 2 ** 31 });
  fc.assert(
    fc.property(id, id, (a, b) => {
      for (const key of [productIndexKey, (one: number) => queuedCommentKey(1, one)]) {
        expect(Math.sign(byteOrder(key(a).sk, key(b).sk))).toBe(Math.sign(a - b));
      }
    }),
  );
});

describe('keys of names', () => {
  it('ignore case', () => {
    for (const key of [productNameKey, aliasKey, tagKey, userKey]) {
      expect(key('ÄB')).toEqual(key('a\u0308b'));
    }
  });

  it('are different for different names', () => {
    expect(new Set(['a', 'b', 'a ', 'a#', '#a'].map((name) => productNameKey(name).pk)).size).toBe(5);
  });
});

describe('suffixes of tags', () => {
  const tag = fc.oneof(
    fc.stringMatching(/^[\p{L}\p{Nd}_.-]{3,24}$/u),
    fc.string({ unit: fc.constantFrom(...'ΛΟΓΟΣσςÄäÉéİıŉẞßAaZz09_-.'), minLength: 3, maxLength: 24 }),
  );

  it('match exactly the substrings of the tag', () => {
    fc.assert(
      fc.property(tag, tag, fc.nat(23), fc.integer({ min: 1, max: 24 }), (one, other, from, length) => {
        const part = [...normalizeName(one)].slice(from, from + length).join('') || normalizeName(one);
        for (const given of [one, other]) {
          const { pk, prefix } = tagSuffixRange(part);
          const found = tagSuffixKeys(given).some((key) => key.pk === pk && key.sk.startsWith(prefix));
          expect(found).toBe(normalizeName(given).includes(part));
        }
      }),
    );
  });

  it('are distinct, one per character of the tag', () => {
    const suffixes = tagSuffixKeys('ABab');
    expect(suffixes.map(({ pk, sk }) => `${pk} ${sk}`)).toEqual([
      'TAGSUFFIX#a abab#abab',
      'TAGSUFFIX#b bab#abab',
      'TAGSUFFIX#a ab#abab',
      'TAGSUFFIX#b b#abab',
    ]);
  });
});

it('a valid key is not empty, is Unicode, and fits', () => {
  expect(['a', ' ', 'ä'.repeat(500), '👍'].map(canBeKey)).toEqual([true, true, true, true]);
  expect(['', '\ud800', 'x\udfff', 'ä'.repeat(501), 'x'.repeat(1_001)].map(canBeKey)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});
