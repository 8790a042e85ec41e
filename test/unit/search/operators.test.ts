import { beforeAll, describe, expect, it } from 'vitest';
import type { ComparisonKind } from '../../../lib/bugs/fields/kinds.ts';
import { phraseTest, wordTest } from '../../../lib/search/conditions/compare.ts';
import { negation, valuesTest } from '../../../lib/search/conditions/operators.ts';
import { loadMatcher } from '../../../lib/search/conditions/regexp.ts';
import { RequestBudget } from '../../../lib/table/request-budget.ts';

beforeAll(() => loadMatcher());

const testOf = (kind: ComparisonKind, operator: string, given: string | string[], isByValue = false) =>
  valuesTest(operator, given, kind, isByValue, new RequestBudget());
const meets = (kind: ComparisonKind, operator: string, given: string | string[], values: string[]) =>
  testOf(kind, operator, given)?.(values);

describe('a condition on one value', () => {
  it.each<[ComparisonKind, string, string | string[], string, boolean]>([
    ['text', 'equals', 'Über', 'uber', true],
    ['text', 'equals', 'a,b', 'a', false],
    ['text', 'notequals', 'x', 'X', false],
    ['text', 'substring', 'OO', 'moon', true],
    ['text', 'substring', 'o', 'mön', false],
    ['text', 'substring', 'MÖ', 'mön', true],
    ['text', 'anywords', 'ünïcode', 'UNICODE, it is', false],
    ['text', 'substring', 'ünïcode', 'UNICODE, it is', false],
    ['names', 'anywords', 'blue', 'Dark Blue', true],
    ['text', 'casesubstring', 'OO', 'moon', false],
    ['text', 'notsubstring', 'x', 'moon', true],
    ['text', 'allwordssubstr', 'oo, mo', 'moon', true],
    ['text', 'allwordssubstr', 'oo sun', 'moon', false],
    ['text', 'anywordssubstr', 'sun oo', 'moon', true],
    ['text', 'nowordssubstr', 'sun star', 'moon', true],
    ['text', 'nowordssubstr', 'sun oo', 'moon', false],
    ['text', 'allwords', 'full moon', 'The full-moon.', true],
    ['text', 'allwords', 'moo', 'The full moon', false],
    ['text', 'anywords', 'sun moon', 'The full moon', true],
    ['text', 'nowords', 'moo', 'The full moon', true],
    ['text', 'regexp', '^mo+n$', 'Moon', true],
    ['text', 'notregexp', 'm[0-9]', 'Moon', true],
    ['text', 'isempty', '', '', true],
    ['text', 'isnotempty', '', 'x', true],
    ['name', 'anyexact', ['High', 'Low'], 'low', true],
    ['name', 'anyexact', 'High,Low', 'low', true],
    ['name', 'anyexact', ['High,Low'], 'low', false],
    ['number', 'equals', '7', '07', true],
    ['number', 'greaterthan', '9', '10', true],
    ['number', 'lessthaneq', '1.5', '1.50', true],
    ['number', 'lessthan', '10', '', false],
    ['time', 'greaterthaneq', '2024-01-02T00:00:00Z', '2024-01-02T00:00:00Z', true],
    ['time', 'lessthan', '2024-01-02T00:00:00Z', '2024-01-02T00:00:00Z', false],
    ['flag', 'equals', '1', '1', true],
    ['flag', 'equals', '0', '1', false],
  ])('%s %s %j: %j %s', (kind, operator, given, value, expected) => {
    expect(meets(kind, operator, given, [value])).toBe(expected);
  });

  it('is none where nothing is left to compare with', () => {
    expect(testOf('text', 'allwordssubstr', ' , ')).toBeUndefined();
  });

  it('is refused with an unknown operator', () => {
    expect(() => testOf('text', 'resembles', 'x')).toThrow(expect.objectContaining({ code: 32000 }));
    expect(() => testOf('text', 'toString', 'x')).toThrow(expect.objectContaining({ code: 32000 }));
  });
});

describe('a condition on several values', () => {
  it('is met by any of them; a negative one is not', () => {
    expect(meets('person', 'equals', 'b', ['a', 'b'])).toBe(true);
    expect(meets('person', 'notequals', 'b', ['a', 'b'])).toBe(false);
    expect(meets('person', 'notequals', 'b', [])).toBe(true);
  });

  it('may be met by several together', () => {
    expect(meets('names', 'allwords', 'x y', ['x', 'y', 'z'])).toBe(true);
    expect(meets('names', 'allwords', 'x y', ['x', 'z'])).toBe(false);
  });

  it('is met by one of them alone where the field is compared by value', () => {
    const test = (operator: string, given: string) => testOf('text', operator, given, true);
    expect(test('allwordssubstr', 'x y')?.(['x', 'y'])).toBe(false);
    expect(test('allwordssubstr', 'x y')?.(['x', 'yx'])).toBe(true);
    expect(test('notequals', 'x')?.(['x', 'y'])).toBe(true);
    expect(test('notequals', 'x')?.([])).toBe(false);
  });

  it('of emptiness is met where all are empty', () => {
    expect(meets('names', 'isempty', '', [])).toBe(true);
    expect(meets('names', 'isempty', '', ['', 'x'])).toBe(false);
  });
});

it.each([
  ['equals', 'notequals'],
  ['substring', 'notsubstring'],
  ['anywords', 'nowords'],
  ['regexp', 'notregexp'],
  ['isempty', 'isnotempty'],
  ['greaterthan', undefined],
])('the negation of an operator %s: %s', (operator, expected) => {
  expect(negation(operator)).toBe(expected);
});

it.each([
  ['moon', 'a moon!', true],
  ['moon', 'moonlight', false],
  ['moon', 'moonlight, moon', true],
  ['größe', 'Die GRÖSSE', false],
  ['größe', 'Die Größe.', true],
  ['c++', 'in C++ code', true],
  ['', 'x', false],
])('a word in a text %j in %j: %s', (word, text, expected) => {
  expect(wordTest(word)(text)).toBe(expected);
});

describe('a phrase in a text', () => {
  it.each([
    ['(crash)', 'It crashes, or: crash', true],
    ['crash on start', 'Crash, on (start)', true],
    ['crash on start', 'crash on a start', false],
    ['crash on start', 'crash on starting', false],
    ['crash', 'crash_on_start', false],
    ['"crash" (on', 'crash on', true],
    ['()', '()', false],
  ])('%j in %j: %s', (phrase, text, expected) => {
    expect(phraseTest(phrase)(text)).toBe(expected);
  });

  it('has 100 words at most', () => {
    const words = Array.from({ length: 101 }, (_, at) => `w${at}`).join(' ');
    expect(() => testOf('text', 'matches', words)).toThrow(expect.objectContaining({ code: 32000 }));
  });
});
