import { beforeAll, describe, expect, it } from 'vitest';
import { loadMatcher, patternTest } from '../../../lib/search/conditions/regexp.ts';
import { RequestBudget } from '../../../lib/table/request-budget.ts';
import { randomNumbers } from '../../support/random.ts';

beforeAll(() => loadMatcher());

const finds = (pattern: string, text: string) => patternTest(pattern, new RequestBudget())(text);

describe('a regular expression', () => {
  it.each([
    ['', '', true],
    ['moon', 'The MOON', true],
    ['^moon$', 'The moon', false],
    ['^$', '', true],
    ['^(?:sun|moon)$', 'Moon', true],
    ['(sun|moon){2}', 'sunmoon', true],
    ['^a{2,3}$', 'aaaa', false],
    ['^a{2,}?$', 'aaaa', true],
    ['a{,2}', 'a{,2}', true],
    ['a{x}', 'a{x}', true],
    ['x]', 'x]', true],
    ['\\bmoon\\b', 'full moon!', true],
    ['[[:<:]]moon[[:>:]]', 'full moonlight', false],
    ['[[:<:]]moon[[:>:]]', 'full moon', true],
    ['^[[:alpha:]]+$', 'Größe', true],
    ['^[^[:digit:] -]+$', 'a1', false],
    ['^[[:upper:]]$', 'a', true],
    ['^[]x]+$', ']x', true],
    ['^[a-]+$', '-a', true],
    ['^[\\w-.]+$', 'a-b.c', true],
    ['^[[:punct:]]$', '_', true],
    ['^\\p{L}\\P{L}$', 'é1', true],
    ['^\\p{Script=Greek}$', 'ς', true],
    ['^\\s\\S[\\s\\S]$', '\u2003a\u2003', true],
    ['\\bask\\b', '\u212a aſ\u212a', true],
    ['\\(\\x41\\u{1F600}\\/', '(a😀/', true],
    ['.', '\n', false],
    ['größe', 'GRÖSSE', false],
    ['größe', 'GRÖẞE', true],
    ['^😀.$', '😀😀', true],
    ['(?<name>a)', 'A', true],
    ['a\\B', 'a😀a', false],
    ['((a*)*)*b', 'aaab', true],
    ['(|a)+b', 'aab', true],
    ['(?:){3}x', 'x', true],
    ['^a{0}$', '', true],
  ])('%j in %j: %s', (pattern, text, expected) => {
    expect(finds(pattern, text)).toBe(expected);
  });

  it.each([
    ...['(', ')', 'a)', '(a', '[a', '[', '[z-a]', '[[:nosuch:]]', '*', 'a**', 'a{2}{3}', 'a{3,2}', '^*'],
    ...['|+', '\\', '\\x1', '\\u{110000}', '\\p{Nosuch}', '\\q', '(a)\\1', '(?<n>a)\\k<n>', '(?=a)'],
    ...['(?!a)', '(?<=a)b', '(?<!a)b', '(?i)a', 'a++'],
  ])('is refused: %s', (pattern) => {
    expect(() => patternTest(pattern, new RequestBudget())).toThrow(
      expect.objectContaining({ code: 32000, name: 'illegal_regexp' }),
    );
  });

  it.each([
    'a{1001}',
    'a{2001}',
    '(a{50}){50}',
    '(?:){99999999999999999999}',
    '((((((?:){99}){99}){99}){99}){99})',
    '(((((a{0,99}){0,99}){0,99}){0,99}){0,99})',
    '[[:alpha:]a-z0-9]{600}',
    '('.repeat(2_000),
    `${'('.repeat(101)}a${')'.repeat(101)}`,
  ])('with too many states is refused: %.40s', (pattern) => {
    expect(() => patternTest(pattern, new RequestBudget())).toThrow(
      expect.objectContaining({ code: 32000, name: 'regexp_too_complex' }),
    );
  });
});

describe('the work of a search', () => {
  const text = 'a'.repeat(60_000);

  it('is bounded for all its texts together', () => {
    const test = patternTest('a*'.repeat(40).concat('x'), new RequestBudget());
    const all = () => {
      for (let count = 0; count < 400; count += 1) test(text);
    };
    expect(all).toThrow('too complex');
  });

  it('is bounded for all its regular expressions together', () => {
    const work = new RequestBudget();
    const tests = Array.from({ length: 400 }, () => patternTest('(a*)*(b|c|d|e|f)', work));
    expect(tests[0]?.(text)).toBe(false);
    expect(() => tests.map((test) => test(text))).toThrow('too complex');
  });

  it('is bounded for expressions that take long to compile', () => {
    const work = new RequestBudget();
    const compile = () => patternTest('[[:print:]]{900}', work);
    expect(() => Array.from({ length: 100 }, compile)).toThrow('too complex');
  });

  it('is bounded for an expression with a state for each text that may precede', () => {
    const test = patternTest('a.{900}x', new RequestBudget());
    const random = randomNumbers(1);
    const texts = Array.from({ length: 60_000 }, () => (random() < 0.5 ? 'a' : 'b')).join('');
    expect(() => test(texts)).toThrow('too complex');
  });

  it('is enough for common expressions on 10 MB of text', () => {
    const comment = 'The program ended in the usual way at line 7. '.repeat(1_000);
    for (const pattern of ['crash(es|ed)? at line [0-9]+', '\\bdied\\b', '\\d.{0,30}(seconds|ms)$']) {
      const test = patternTest(pattern, new RequestBudget());
      for (let count = 0; count < 217; count += 1) expect(test(comment)).toBe(false);
    }
  });
});
