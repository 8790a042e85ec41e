import { describe, expect, it } from 'vitest';
import { normalizeText, parseWorkTime } from '../../../../lib/bugs/comments/validation.ts';

describe('the text of a comment', () => {
  it('has line feeds only, and no trailing white space', () => {
    expect(normalizeText('  a\r\nb\rc \t\n')).toBe('  a\nb\nc');
  });

  it.each([' ', '\n\t', '\u00a0', '\u0085', '\u2003\u3000', '\u2028\u2029', '\u0085 \u0085'])(
    'is empty when it is only white space: %j',
    (white) => {
      expect(normalizeText(white)).toBe('');
      expect(normalizeText(`${white}x${white}`)).toBe(`${white}x`);
    },
  );

  it('keeps characters that only look like white space', () => {
    expect(normalizeText('x\u200b')).toBe('x\u200b');
  });
});

describe('the work time', () => {
  it.each([
    ['', 0],
    [' 1 ', 1],
    ['2.5', 2.5],
    ['1.', 1],
    ['.5', 0.5],
    ['-.5', -0.5],
    ['99999.99', 99_999.99],
    ['-99999.99', -99_999.99],
  ])('%j is %d hours', (given, hours) => {
    expect(parseWorkTime(given)).toBe(hours);
  });

  it.each([
    ['+1', 52],
    ['1e1', 52],
    ['1,5', 52],
    ['.', 52],
    ['-', 52],
    ['0x10', 52],
    ['\u0661', 52],
    ['100000', 54],
    ['-100000', 55],
  ])('%j is refused with the code %i', (given, code) => {
    expect(() => parseWorkTime(given)).toThrow(expect.objectContaining({ code }));
  });
});
