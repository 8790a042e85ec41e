import { collate, lowerCase, normalizeName } from '../../base/text.ts';
import type { ComparisonKind } from '../../bugs/fields/kinds.ts';

/** Several words are sought in the same text. */
let last = { text: '', folded: '' };

/** The form in which texts are compared in parts: case does not count, accents do. */
export function foldCase(text: string): string {
  if (text !== last.text) last = { text, folded: lowerCase(text) };
  return last.folded;
}

/** Texts whose length counts. */
export const LONG_TEXT = 1_000;

/**
 * A decimal number.
 *
 * @returns undefined for any other text, also for those that Number reads: '', '0x1f', '1e3'
 */
export function decimalNumber(text: string): number | undefined {
  return /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(text.trim()) ? Number(text) : undefined;
}

const FLAGS: ReadonlyMap<string, string> = new Map([
  ['', '0'],
  ['false', '0'],
  ['true', '1'],
]);

/** The form of a value under which equal ones are the same, by the kind of its field. */
const CANONICAL: Record<ComparisonKind, (value: string) => string> = {
  text: collate,
  name: collate,
  names: normalizeName,
  alias: normalizeName,
  person: normalizeName,
  number: (value) => String(decimalNumber(value) ?? value),
  time: (value) => value,
  date: (value) => value,
  flag: (value) => FLAGS.get(value.toLowerCase()) ?? String(decimalNumber(value) ?? value),
};

export const canonical = (comparison: ComparisonKind, value: string): string => CANONICAL[comparison](value);

/** The characters of ASCII that Bugzilla's database orders before digits and letters, in its order. */
const PUNCTUATION = ' `^_-,;:!?.\'"()[]{}@*/\\&#%+<=>|~$';
const HAS_PUNCTUATION = /[^0-9a-z\u0080-\uffff]/;

/** The form of a value by which those that are compared alike are ordered, numbers apart. */
export function sortKey(comparison: ComparisonKind, value: string): string {
  const text = canonical(comparison, value);
  if (!HAS_PUNCTUATION.test(text)) return text;
  return text.replace(/[ -/:-@[-`{-~]/g, (one) => String.fromCharCode(PUNCTUATION.indexOf(one)));
}

/** How values are ordered beside another one that is compared alike: negative, 0, or positive. */
export function orderBeside(comparison: ComparisonKind, other: string): (value: string) => number {
  if (comparison === 'number' || comparison === 'flag') return (value) => Number(value) - Number(other);
  // It is long, perhaps, and compared with each bug.
  const right = sortKey(comparison, other);
  return (value) => {
    const left = sortKey(comparison, value);
    return left < right ? -1 : left > right ? 1 : 0;
  };
}

const LETTERS = String.raw`\p{L}\p{N}\p{M}`;
const LETTER_OR_DIGIT = `[${LETTERS}]`;

/**
 * Whether a text has `word` somewhere with neither a letter nor a digit beside it, whatever its own characters are; case does not
 * count, accents do, as in Bugzilla.
 */
export function wordTest(word: string): (text: string) => boolean {
  const folded = foldCase(word);
  if (folded === '') return () => false;
  const escaped = folded.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&');
  const pattern = new RegExp(`(?<!${LETTER_OR_DIGIT})${escaped}(?!${LETTER_OR_DIGIT})`, 'u');
  return (text) => pattern.test(foldCase(text));
}

/** Words of the full-text search. */
const PHRASE_WORD = new RegExp(`[${LETTERS}_]+`, 'gu');

export const phraseWords = (phrase: string): string[] => lowerCase(phrase).match(PHRASE_WORD) ?? [];

/**
 * Whether a text has words, as `phraseWords` gives them, one after the other, whatever stands between them; case does not count.
 *
 * @param isPrefix whether the last one may go on
 */
export function wordsTest(words: readonly string[], isPrefix = false): (text: string) => boolean {
  const sought = words.join(`[^${LETTERS}_]+`);
  if (sought === '') return () => false;
  const pattern = new RegExp(`(?<![${LETTERS}_])${sought}${isPrefix ? '' : `(?![${LETTERS}_])`}`, 'u');
  return (text) => pattern.test(foldCase(text));
}
