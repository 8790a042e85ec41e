import { normalizeName } from '../../text.ts';
import type { ComparisonKind } from './search-fields.ts';

const MAX_COLLATED_LENGTH = 4_000;

const ASCII = /^[\0-\x7f]*$/;
const ACCENTED = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu;

/**
 * What two names have in common that Bugzilla's database takes for equal: neither case nor the accents of Latin, Greek
 * and Cyrillic letters count. Marks of other scripts are vowels.
 */
export function collate(text: string): string {
  // Normalizing takes time that is quadratic in a run of combining marks.
  if (text.length > MAX_COLLATED_LENGTH || ASCII.test(text)) return text.toLowerCase();
  return text.normalize('NFD').replace(ACCENTED, '$1').toLowerCase();
}

/** The form in which texts are searched for parts: case does not count, accents do. */
export const foldCase = (text: string): string => text.toLowerCase();

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
  flag: (value) => FLAGS.get(value.toLowerCase()) ?? value,
};

export const canonical = (kind: ComparisonKind, value: string): string => CANONICAL[kind](value);

/** Orders two values of one kind: negative, 0, or positive. */
export function compareValues(kind: ComparisonKind, a: string, b: string): number {
  if (kind === 'number') return Number(a) - Number(b);
  const [left, right] = [canonical(kind, a), canonical(kind, b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Of words of the full-text search. */
export const WORD_CHARACTER = /[\p{L}\p{N}\p{M}_]/u;
/** Of words of the other operators. */
export const LETTER_OR_DIGIT = /[\p{L}\p{N}\p{M}]/u;

/** Whether `text` has `word` somewhere, not within a longer word; case does not count. */
export function hasWord(text: string, word: string, character: RegExp): boolean {
  const [all, needle] = [foldCase(text), foldCase(word)];
  if (needle === '') return false;
  for (let at = all.indexOf(needle); at >= 0; at = all.indexOf(needle, at + 1)) {
    const end = at + needle.length;
    const isCut = (outer: string, inner: string) => character.test(outer) && character.test(inner);
    const begins = !isCut(all.charAt(at - 1), needle.charAt(0));
    if (begins && !isCut(all.charAt(end), needle.at(-1) ?? '')) return true;
  }
  return false;
}
