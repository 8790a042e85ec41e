import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64 } from '../../../../lib/bugs/attachments/data.ts';

/** As Bugzilla decodes: what is not in the alphabet is skipped, padding ends the data. */
const expected = (text: string) =>
  Buffer.from((text.split('=', 1)[0] ?? '').replace(/[^A-Za-z0-9+/]/g, ''), 'base64');

describe('base64', () => {
  it.each([
    ['', ''],
    ['YWJj', 'abc'],
    ['YW Jj\r\n', 'abc'],
    ['YWI=', 'ab'],
    ['YWI=YWJj', 'ab'],
    ['Y-W_J!j', 'abc'],
    ['YWJj\u0141', 'abc'],
    ['YWJjZ', 'abc'],
  ])('%j is %j', (text, bytes) => {
    expect(decodeBase64(text).toString()).toBe(bytes);
  });

  it('of any text is decoded as Bugzilla does', () => {
    const ofAlphabet = fc.string({ unit: fc.constantFrom(...'AZaz09+/-_= \n!é\u0141\ud800') });
    const ofAscii = fc.string({ unit: 'binary-ascii' });
    fc.assert(
      fc.property(fc.oneof(ofAlphabet, ofAscii), (text) => {
        expect(decodeBase64(text).equals(expected(text))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
