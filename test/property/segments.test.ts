import { zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lowerCase } from '../../lib/base/text.ts';
import { type IndexedBug, indexedBug, storedIn } from '../../lib/bugs/change-log/indexed-bug.ts';
import { decodeSegment, encodeSegment } from '../../lib/search/index/segment.ts';

/** Segments have the values that they were made of. */

const text = fc.oneof(
  fc.constantFrom('', ' ', '\0', 'ς', 'İ', 'Å', 'e\u0301', '𠮷', '\n', '"', '\\'),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ maxLength: 300 }),
);
const login = fc.constantFrom('', 'ann@example.org', 'Bob@example.org', 'λ@example.org');
const count = fc.oneof(fc.nat(3), fc.nat(), fc.constantFrom(2 ** 31 - 1, 2 ** 31, 9_999_999_999));
const hours = fc.oneof(fc.nat(5), fc.double({ min: 0, max: 99_999, noNaN: true }));
const custom = fc.dictionary(
  fc.constantFrom('cf_text', 'cf_number', 'cf_several', 'cf_bug'),
  fc.constant(0),
  { maxKeys: 4 },
);

const bug = fc.record({
  summary: text,
  product_id: fc.nat(5),
  component_id: fc.nat(9),
  version: text,
  url: text,
  whiteboard: text,
  status: fc.constantFrom('CONFIRMED', 'RESOLVED', 'odd'),
  reporter: login,
  assigned_to: login,
  cc: fc.uniqueArray(login, { maxLength: 4 }),
  keywords: fc.uniqueArray(text, { maxLength: 3 }),
  aliases: fc.uniqueArray(text, { maxLength: 2 }),
  groups: fc.uniqueArray(text, { maxLength: 2 }),
  depends_on: fc.uniqueArray(count, { maxLength: 4 }),
  blocks: fc.uniqueArray(count, { maxLength: 2 }),
  dupe_of: fc.option(count),
  deadline: fc.option(fc.constantFrom('2024-01-01', '2024-01-02')),
  estimated_time: hours,
  remaining_time: hours,
  hours_worked: hours,
  creation_time: fc.constantFrom('2024-01-01T00:00:00Z', '2025-01-01T00:00:00Z'),
  last_change_time: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  is_cc_accessible: fc.boolean(),
  change_count: count,
  custom: fc
    .tuple(custom, text, count, fc.uniqueArray(text, { minLength: 1, maxLength: 3 }))
    .map(([names, one, number, several]) =>
      Object.fromEntries(
        Object.keys(names).map((name) => [
          name,
          name === 'cf_text' ? `${one}x` : name === 'cf_several' ? several : number,
        ]),
      ),
    ),
});

const bugsOf = (values: readonly object[]): IndexedBug[] =>
  values.map((value, place) => indexedBug.parse({ qa_contact: '', ...value, id: place * 3 + 1 }));

it('a segment has every bug as it was, and every value folded', () => {
  fc.assert(
    fc.property(fc.array(bug, { minLength: 1, maxLength: 150 }), (values) => {
      const bugs = bugsOf(values);
      const segment = decodeSegment(encodeSegment(bugs));
      expect(segment.rows).toBe(bugs.length);
      for (const [row, expected] of bugs.entries()) {
        expect(segment.rowOf(expected.id)).toBe(row);
        expect(segment.bug(row)).toEqual(expected);
        for (const name of ['summary', 'cc', 'dupe_of', 'cf_text', 'cf_number', 'cf_several', 'cf_other']) {
          expect(segment.value(row, name) ?? []).toEqual(storedIn(expected, name) ?? []);
        }
        const column = segment.column('summary');
        const folded = column?.folded?.(column.codeOf(row));
        if (folded !== undefined) expect(folded).toBe(lowerCase(expected.summary));
      }
      expect(segment.rowOf(2)).toBeUndefined();
    }),
    { numRuns: Number(process.env['RUNS'] ?? 60) },
  );
});

it('a segment of many bugs has every value', () => {
  const bugs = bugsOf(
    Array.from({ length: 4_000 }, (_, n) => ({
      ...{ summary: `Größe ${n}`, product_id: 1, component_id: n, version: '1', status: 'CONFIRMED' },
      ...{ reporter: `${n}@example.org`, assigned_to: '', cc: [`${n}@example.org`, 'all@example.org'] },
      ...{ creation_time: `${n}`, last_change_time: `${n}`, resolution: '', hours_worked: n / 7 },
      ...{ url: n % 1_000 === 7 ? 'u'.repeat(5_000) : `http://example.org/${n}`, custom: { cf_a: `${n}` } },
    })),
  );
  const segment = decodeSegment(encodeSegment(bugs));
  for (const [row, expected] of bugs.entries()) {
    const isLong = expected.url.length > 500;
    const shortened = { ...expected, url: '', omitted: new Set(['url']) };
    expect(segment.bug(row)).toEqual(isLong ? shortened : expected);
    expect(segment.value(row, 'url')).toBe(isLong ? undefined : expected.url);
    expect(segment.value(row, 'summary')).toBe(expected.summary);
  }
});

/** Whether data decompresses to the same, damaged in a bit that does not matter. */
function isSameContent(damaged: Uint8Array, data: Uint8Array): boolean {
  try {
    return zstdDecompressSync(damaged).equals(zstdDecompressSync(data));
  } catch {
    return false;
  }
}

it('damaged data is refused', () => {
  const data = encodeSegment(bugsOf(fc.sample(bug, { numRuns: 50, seed: 3 })));
  for (let place = 8; place < data.length; place += 97) {
    const damaged = Uint8Array.from(data, (byte, at) => (at === place ? byte ^ 0x10 : byte));
    if (!isSameContent(damaged, data)) expect(() => decodeSegment(damaged)).toThrow();
  }
  expect(() => decodeSegment(data.subarray(0, data.length - 5))).toThrow();
});
