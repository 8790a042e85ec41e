import { composed } from '../../base/text.ts';
import type { ComparisonKind } from '../../bugs/fields/kinds.ts';
import { errors } from '../../errors.ts';
import type { RequestBudget } from '../../table/request-budget.ts';
import { canonical, foldCase, LONG_TEXT, orderBeside, wordTest } from './compare.ts';
import { patternTest } from './regexp.ts';

type Test = (value: string) => boolean;

/** How one operator compares: which test each of its words makes, and how many of them have to hold. */
interface Comparison {
  test(word: string, kind: ComparisonKind, budget: RequestBudget): Test;
  /** how the given text falls into words; absent: it is one */
  split?: RegExp;
  needs?: 'all' | 'any';
  isNegative?: true;
  /** reads numbers and times, so that others are refused */
  isOrdered?: true;
}

const COMMA = /,/;
const WORDS = /[\s,]+/;

const equal = (word: string, kind: ComparisonKind): Test => {
  const expected = canonical(kind, word);
  return (value) => canonical(kind, value) === expected;
};
/** As `equal` with any of many words: lists of ids may be long. */
const oneOf = (words: readonly string[], kind: ComparisonKind): Test => {
  const expected = new Set(words.map((word) => canonical(kind, word)));
  return (value) => expected.has(canonical(kind, value));
};
const substring = (word: string): Test => {
  const isIn = foldedSubstring(word);
  return (value) => isIn(foldCase(value));
};
/** The same test of a text that is folded already. */
const foldedSubstring = (word: string): Test => {
  const expected = foldCase(word);
  return (folded) => folded.includes(expected);
};
/** Numbers are compared whole, others word by word. */
const wholeWord = (word: string, kind: ComparisonKind): Test =>
  kind === 'number' || kind === 'flag' ? equal(word, kind) : wordTest(word);
/** The kinds whose empty value is before or after no other. */
const HAS_NOTHING: ReadonlySet<ComparisonKind> = new Set(['number', 'time', 'date']);

const ordered =
  (holds: (order: number) => boolean) =>
  (word: string, kind: ComparisonKind): Test => {
    const order = orderBeside(kind, word);
    return (value) => (value !== '' || !HAS_NOTHING.has(kind)) && holds(order(value));
  };
const pattern = (source: string, _: ComparisonKind, budget: RequestBudget): Test =>
  patternTest(source, budget);

const COMPARISONS: ReadonlyMap<string, Comparison> = new Map<string, Comparison>(
  Object.entries({
    equals: { test: equal, isOrdered: true },
    notequals: { test: equal, isOrdered: true, isNegative: true },
    anyexact: { test: equal, split: COMMA, needs: 'any' },
    substring: { test: substring },
    substr: { test: substring },
    notsubstring: { test: substring, isNegative: true },
    casesubstring: { test: (word) => (value) => composed(value).includes(composed(word)) },
    regexp: { test: pattern },
    notregexp: { test: pattern, isNegative: true },
    anywordssubstr: { test: substring, split: WORDS, needs: 'any' },
    allwordssubstr: { test: substring, split: WORDS, needs: 'all' },
    nowordssubstr: { test: substring, split: WORDS, needs: 'any', isNegative: true },
    anywords: { test: wholeWord, split: WORDS, needs: 'any' },
    allwords: { test: wholeWord, split: WORDS, needs: 'all' },
    nowords: { test: wholeWord, split: WORDS, needs: 'any', isNegative: true },
    lessthan: { test: ordered((order) => order < 0), isOrdered: true },
    lessthaneq: { test: ordered((order) => order <= 0), isOrdered: true },
    greaterthan: { test: ordered((order) => order > 0), isOrdered: true },
    greaterthaneq: { test: ordered((order) => order >= 0), isOrdered: true },
    // Their expressions are read by full-text.ts.
    matches: { test: wholeWord },
    notmatches: { test: wholeWord, isNegative: true },
  }),
);

/** The operators that look at the history of a field. */
export const CHANGE_OPERATORS: ReadonlySet<string> = new Set([
  'changedfrom',
  'changedto',
  'changedby',
  'everchanged',
  'changedafter',
  'changedbefore',
]);

export const EMPTINESS_OPERATORS: ReadonlySet<string> = new Set(['isempty', 'isnotempty']);

/** The operators that take no value. */
export const VALUELESS_OPERATORS: ReadonlySet<string> = new Set([...EMPTINESS_OPERATORS, 'everchanged']);

export const isOperator = (name: string): boolean =>
  COMPARISONS.has(name) || CHANGE_OPERATORS.has(name) || EMPTINESS_OPERATORS.has(name);

const OTHER_NEGATIONS: ReadonlyMap<string, string> = new Map([
  ['anywords', 'nowords'],
  ['isempty', 'isnotempty'],
]);

/** The operator that says the contrary; undefined: there is none of that name. */
export function negation(operator: string): string | undefined {
  const contrary = OTHER_NEGATIONS.get(operator) ?? `not${operator}`;
  return isOperator(contrary) ? contrary : undefined;
}

/** Whether an operator finds what it does not match. */
export const isNegative = (operator: string): boolean => COMPARISONS.get(operator)?.isNegative === true;

/** Whether the operator takes a number or a time where its field has one. */
export const isOrdered = (operator: string): boolean => COMPARISONS.get(operator)?.isOrdered === true;

/** A test of the values of a field. */
export interface ValuesTest {
  (values: readonly string[]): boolean;
  /** the same test of a single value that is folded already, as the search index has texts; absent: there is none */
  ofFolded?: (text: string) => boolean;
}

/** Words of one condition. */
const MAX_WORDS_A_CONDITION = 100;

/** Counts the words that a condition compares its field with. @throws BugzillaError where they are too many */
export function countComparisons(budget: RequestBudget, words: number): void {
  if (words > MAX_WORDS_A_CONDITION)
    throw errors.searchTooLong(`${MAX_WORDS_A_CONDITION} words in a condition`);
  budget.comparisons.take(words);
}

/** Counts long texts that are compared with words. @returns true @throws BugzillaError where they are too many */
export function countText(budget: RequestBudget, texts: readonly string[], words: number): true {
  const long = texts.reduce((sum, { length }) => (length > LONG_TEXT ? sum + length : sum), 0);
  if (long > 0) budget.longTexts.take(long * words);
  return true;
}

/**
 * The test of a field's values that an operator makes.
 *
 * @param given the texts to compare with; a single one falls into words where the operator has it so
 * @param budget what the search may compute
 * @returns undefined when nothing is left to compare with: then there is no condition
 */
export function valuesTest(
  operator: string,
  given: string | readonly string[],
  kind: ComparisonKind,
  isByValue: boolean,
  budget: RequestBudget,
): ValuesTest | undefined {
  if (EMPTINESS_OPERATORS.has(operator)) {
    const wantsEmpty = operator === 'isempty';
    countComparisons(budget, 1);
    return (values) => values.every((value) => value === '') === wantsEmpty;
  }
  const comparison = COMPARISONS.get(operator);
  if (comparison === undefined) throw errors.operatorUnknown(operator);
  const { split, test, needs, isNegative = false } = comparison;
  const words = [...new Set(wordsOf(given, split))];
  if (words.length === 0) return undefined;
  const isOneOf = test === equal && needs === 'any';
  const tests = isOneOf ? [oneOf(words, kind)] : words.map((word) => test(word, kind, budget));
  const comparisons = isOneOf ? 1 : words.length;
  countComparisons(budget, comparisons);
  const meets = (all: readonly Test[], hit: (one: Test) => boolean) =>
    needs === 'any' ? all.some(hit) : all.every(hit);
  const count = (values: readonly string[]) => countText(budget, values, comparisons);
  const ofValues = isByValue
    ? (values: readonly string[]) =>
        count(values) && values.some((value) => meets(tests, (one) => one(value)) !== isNegative)
    : (values: readonly string[]) => count(values) && meets(tests, (one) => values.some(one)) !== isNegative;
  if (test !== substring) return ofValues;
  const folded = words.map(foldedSubstring);
  return Object.assign(ofValues, {
    ofFolded: (text: string) => count([text]) && meets(folded, (one) => one(text)) !== isNegative,
  });
}

/** Whether one value compares so with another, which is known with the bug only: no work is counted. */
export function compares(
  operator: string,
  kind: ComparisonKind,
  value: string,
  other: string,
  budget: RequestBudget,
): boolean {
  const { test, isNegative = false } = COMPARISONS.get(operator) ?? { test: equal };
  return test(other, kind, budget)(value) !== isNegative;
}

/** What an operator compares with, as `valuesTest`. */
export const operandsOf = (operator: string, given: string | readonly string[]): string[] =>
  wordsOf(given, COMPARISONS.get(operator)?.split);

/**
 * A list holds whole values where they could be split at commas only. Names and logins in a text may have a comma: two
 * neighbours are also one value, and so is the whole; words are words in any case.
 */
function wordsOf(given: string | readonly string[], split: RegExp | undefined): string[] {
  if (split === undefined) return [typeof given === 'string' ? given : given.join(',')];
  if (split === COMMA && typeof given !== 'string') return given.map((one) => one.trim());
  const parts = [given].flat().flatMap((one) => one.split(split));
  if (parts.every((part) => part.trim() === '')) return [];
  const withCommas =
    split === COMMA ? [...parts.slice(1).map((part, at) => `${parts[at]},${part}`), ...[given].flat()] : [];
  return [...withCommas, ...parts].map((word) => word.trim()).filter((word) => word !== '');
}
