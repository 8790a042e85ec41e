import { createContext, Script } from 'node:vm';
import { errors } from '../../errors.ts';
import { normalizeName } from '../../text.ts';
import type { FieldKind } from './search-fields.ts';

const MAX_COLLATED_LENGTH = 4_000;

/** What two names have in common that Bugzilla's database takes for equal: neither case nor accents count. */
export function collate(text: string): string {
  // Normalizing takes time that is quadratic in a run of combining marks.
  if (text.length > MAX_COLLATED_LENGTH) return text.toLowerCase();
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** The form in which texts are searched for parts: case does not count, accents do. */
export const foldCase = (text: string): string => text.toLowerCase();

/** The form of a value under which equal ones are the same, by the kind of its field. */
const CANONICAL: Record<FieldKind, (value: string) => string> = {
  text: collate,
  name: collate,
  names: collate,
  alias: normalizeName,
  person: normalizeName,
  number: (value) => (Number.isFinite(Number(value)) && value.trim() !== '' ? String(Number(value)) : value),
  time: (value) => value,
  date: (value) => value,
  flag: (value) => (['0', 'false', ''].includes(value.toLowerCase()) ? '0' : '1'),
};

export const canonical = (kind: FieldKind, value: string): string => CANONICAL[kind](value);

/** Orders two values of one kind: negative, 0, or positive. */
export function compareValues(kind: FieldKind, a: string, b: string): number {
  if (kind === 'number') return Number(a) - Number(b);
  const [left, right] = [canonical(kind, a), canonical(kind, b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

const WORD_CHARACTER = /[\p{L}\p{N}_]/u;

/** Whether `text` has `word` somewhere, not within a longer word; case does not count. */
export function hasWord(text: string, word: string): boolean {
  const [all, needle] = [foldCase(text), foldCase(word)];
  if (needle === '') return false;
  for (let at = all.indexOf(needle); at >= 0; at = all.indexOf(needle, at + 1)) {
    const end = at + needle.length;
    const isCut = (outer: string, inner: string) => WORD_CHARACTER.test(outer) && WORD_CHARACTER.test(inner);
    const begins = !isCut(all.charAt(at - 1), needle.charAt(0));
    if (begins && !isCut(all.charAt(end), needle.at(-1) ?? '')) return true;
  }
  return false;
}

/** For all texts of a search together that need supervision. */
const PATTERN_TIMEOUT_MS = 500;
/** With one quantifier or alternative a match takes time that is at most quadratic in the length of the text. */
const MAX_QUADRATIC_LENGTH = 1_000;
const PATTERN_SCRIPT = new Script('pattern.test(text)');

/**
 * A test for texts that a regular expression finds, in any case.
 *
 * @throws errors.patternInvalid (400, 32000); the test: errors.patternTooSlow (400, 32000)
 */
export function patternTest(source: string): (text: string) => boolean {
  const pattern = compilePattern(source);
  const choices = source.match(/[*+?{|]/g)?.length ?? 0;
  const context = createContext({ pattern, text: '' });
  let remaining = PATTERN_TIMEOUT_MS;
  return (text) => {
    if (choices === 0 || (choices === 1 && text.length <= MAX_QUADRATIC_LENGTH)) return pattern.test(text);
    if (remaining <= 0) throw errors.patternTooSlow(source);
    const started = performance.now();
    context['text'] = text;
    try {
      // A pattern that backtracks without end can only be stopped from outside.
      return PATTERN_SCRIPT.runInContext(context, { timeout: Math.ceil(remaining) }) === true;
    } catch {
      throw errors.patternTooSlow(source);
    } finally {
      remaining -= performance.now() - started;
    }
  };
}

function compilePattern(source: string): RegExp {
  for (const flags of ['iu', 'i']) {
    try {
      return new RegExp(source, flags);
    } catch {
      // Tried without Unicode; what is no pattern then is none.
    }
  }
  throw errors.patternInvalid(source);
}
