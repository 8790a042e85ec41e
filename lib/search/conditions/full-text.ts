import { isStopWord, soughtWords } from '../../bugs/comments/words.ts';
import { phraseWords, wordsTest } from './compare.ts';
import type { IndexTerms } from './conditions.ts';
import { narrowing } from './word-candidates.ts';

/** What a term of an expression asks for. */
type What =
  /** words one after the other; none: all of them are ignored, so nothing meets it */
  | { phrase: readonly string[] }
  /** a word that begins so */
  | { prefix: string }
  | { group: readonly Term[] };

/** `+`: a text must meet it; `-`: must not; `~`: it is no reason to be found; without a sign one of them has to be met. */
interface Term {
  sign: '+' | '-' | '~' | '';
  what: What;
}

/** InnoDB ignores words with fewer characters. */
const MIN_LENGTH = 3;
const isIgnored = (word: string): boolean => [...word].length < MIN_LENGTH || isStopWord(word);

/** Whether a text has an operator at the edge of a word. */
const isBoolean = (text: string): boolean => /(^|\W)[+\-<>~"()]/.test(text) || /[()"*](\W|$)/.test(text);

/**
 * Reads a full-text expression. Without an operator at the edge of a word a text meets it that has any of its words; else
 * `+word`, `-word`, `word*`, `"a phrase"` and `(a group)` are read as InnoDB does. functions/bugs/README.md 3.8
 *
 * @param count receives how many words and groups it has, before anything is compiled
 * @returns undefined where InnoDB refuses it
 */
export function readFullText(text: string, count: (size: number) => void) {
  const terms = isBoolean(text) ? readBoolean(text) : anyOf(text);
  if (terms === undefined) return undefined;
  const size = sizeOf(terms);
  count(size);
  return {
    /** how many words and groups it has */
    size,
    /** whether a text with more words meets it, too: nothing is excluded */
    isMonotone: !hasExcluded(terms),
    /** the words by which the index narrows it; undefined: it does not. Empty: nothing meets it */
    indexTerms: alternativesOf(terms),
    /** whether a text meets it */
    test: testOf(terms),
  };
}

/** The phrase of a text, for searches that take it as such. */
export const asPhrase = (text: string): string => `"${text.replaceAll('"', ' ')}"`;

const anyOf = (text: string): Term[] =>
  [...new Set(phraseWords(text))].map((word) => ({ sign: '', what: phraseOf([word]) }));

/** Words that are ignored are left out where a phrase begins; in it they stand for themselves. */
const phraseOf = (words: readonly string[]): What => {
  const first = words.findIndex((word) => !isIgnored(word));
  return { phrase: first === -1 ? [] : words.slice(first) };
};

/** Groups within groups. */
const MAX_PARENTHESES_DEPTH = 20;
/** Operators, words, and phrases in quotes. Other characters separate words. */
const TOKEN = /[\t\n\r ]+|"[^"]*"|[()+\-<>~*@"]|[^\t\n\r ()+\-<>~*@"]+/gu;
const SIGNS: ReadonlyMap<string, Term['sign']> = new Map([
  ['+', '+'],
  ['-', '-'],
  ['~', '~'],
  ['<', ''],
  ['>', ''],
]);

/** @returns undefined: it is invalid */
function readBoolean(text: string): Term[] | undefined {
  const tokens = withQuotedCompounds(text).match(TOKEN) ?? [];
  let at = 0;

  /** The terms until the end, or the parenthesis that closes a group. */
  function readList(depth: number): Term[] | undefined {
    const isGroup = depth > 0;
    if (depth > MAX_PARENTHESES_DEPTH) return undefined;
    const terms: Term[] = [];
    while (at < tokens.length) {
      const token = tokens[at] ?? '';
      if (token === ')') return isGroup ? terms : undefined;
      if (/^\s/.test(token) || token === '@') {
        at += 1;
        continue;
      }
      const sign = SIGNS.get(token);
      if (sign !== undefined) at += 1;
      const read = readTerm(sign ?? '', depth);
      if (read === undefined) return undefined;
      terms.push(...read);
    }
    return isGroup ? undefined : terms;
  }

  /** One term, or several where a text falls into words. */
  function readTerm(sign: Term['sign'], depth: number): Term[] | undefined {
    const token = tokens[at] ?? '';
    at += 1;
    if (token === '(') {
      const group = readList(depth + 1);
      at += 1;
      if (group === undefined) return undefined;
      // Nothing meets a group without words, as a phrase whose words are all ignored.
      return [{ sign, what: group.length === 0 ? { phrase: [] } : { group } }];
    }
    // A quote that is not closed is met by nothing.
    if (token === '"') return [{ sign: '+', what: { phrase: [] } }];
    if (token.startsWith('"')) return [{ sign, what: phraseOf(phraseWords(token)) }];
    if (token === '' || /^[\s)+\-<>~*@]/.test(token)) return undefined;
    const words = phraseWords(token);
    if (tokens[at] !== '*') return words.map((word) => ({ sign, what: phraseOf([word]) }));
    at += 1;
    const [prefix = ''] = words.slice(-1);
    return [
      ...words.slice(0, -1).map((word): Term => ({ sign, what: phraseOf([word]) })),
      { sign, what: { prefix } },
    ];
  }

  return readList(0);
}

/** Words with other characters in their middle, such as `crash-hang`, are phrases in Bugzilla. */
function withQuotedCompounds(text: string): string {
  const isClosed = (text.match(/"/g) ?? []).length % 2 === 0;
  if (!isClosed) return text;
  return text
    .split('|')
    .map((part) =>
      part.replace(/"[^"]*"|[^\s()"]+/g, (word) =>
        !word.startsWith('"') && /\w\W+\w/.test(word) ? `"${word}"` : word,
      ),
    )
    .join('|');
}

const sizeOf = (terms: readonly Term[]): number =>
  terms.reduce((sum, { what }) => {
    if ('group' in what) return sum + 1 + sizeOf(what.group);
    return sum + ('prefix' in what ? 1 : Math.max(1, what.phrase.length));
  }, 0);

const hasExcluded = (terms: readonly Term[]): boolean =>
  terms.some(({ sign, what }) => sign === '-' || ('group' in what && hasExcluded(what.group)));

function testOfWhat(what: What): (text: string) => boolean {
  if ('group' in what) return testOf(what.group);
  return 'prefix' in what ? wordsTest([what.prefix], true) : wordsTest(what.phrase);
}

function testOf(terms: readonly Term[]): (text: string) => boolean {
  const tests = terms.map(({ sign, what }) => ({ sign, test: testOfWhat(what) }));
  const of = (sign: Term['sign']) => tests.filter((one) => one.sign === sign).map(({ test }) => test);
  const [required, excluded, optional] = [of('+'), of('-'), of('')];
  return (text) => {
    if (excluded.some((test) => test(text))) return false;
    if (required.length > 0) return required.every((test) => test(text));
    return optional.some((test) => test(text));
  };
}

/** Alternatives, one of which a text has that meets an expression: each a list of words. */
function alternativesOf(terms: readonly Term[]): IndexTerms | undefined {
  const required = terms.filter(({ sign }) => sign === '+').map(({ what }) => alternativesOfWhat(what));
  if (required.length > 0) {
    // The words of the required terms that have one alternative each, or else the alternatives of one of them.
    const certain = required
      .filter((indexTerms) => indexTerms?.length === 1)
      .flatMap((indexTerms) => indexTerms ?? []);
    if (required.some((indexTerms) => indexTerms?.length === 0)) return [];
    if (certain.length > 0) return [narrowing([...new Set(certain.flat())])];
    return required.find((indexTerms) => indexTerms !== undefined);
  }
  const optional = terms.filter(({ sign }) => sign === '').map(({ what }) => alternativesOfWhat(what));
  if (optional.some((indexTerms) => indexTerms === undefined)) return undefined;
  return optional.flatMap((indexTerms) => indexTerms ?? []);
}

function alternativesOfWhat(what: What): IndexTerms | undefined {
  if ('group' in what) return alternativesOf(what.group);
  // The index has whole words only.
  if ('prefix' in what) return what.prefix === '' ? [] : undefined;
  if (what.phrase.length === 0) return [];
  const words = soughtWords(what.phrase.join(' '));
  return words.length === 0 ? undefined : [narrowing(words)];
}
