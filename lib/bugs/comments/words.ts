import { lowerCase, normalizeName } from '../../base/text.ts';

/** Words are runs of letters and digits, with the marks that belong to them. */
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** In characters; longer and shorter words are not in the index. */
const MIN_LENGTH = 3;
const MAX_WORD_LENGTH = 40;
/** Distinct words of a comment that are indexed; a bug with more is among the hits of every word. */
const MAX_WORDS_A_COMMENT = 2_000;

/** The words that InnoDB, the full text of Bugzilla's database, leaves out: they are not sought in comments. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about an are as at be by com de en for from how i in is it la of on or that the this to was what when where ' +
    'who will with und the www'
  ).split(' '),
);

/** Whether a word is so frequent that it is not sought in comments. */
export const isStopWord = (word: string): boolean => STOP_WORDS.has(lowerCase(word));

/** Stands for the words of a bug that are not indexed: no word has an asterisk. */
export const OTHER_WORDS = '*';

/** Stands for the author of a comment: no word has an at sign. */
export const authorWord = (login: string): string => `@${normalizeName(login)}`;

/** The words of a text in order, in the form in which texts are compared. */
export const wordsOf = (text: string): string[] => lowerCase(text).match(WORD) ?? [];

const isIndexed = (word: string): boolean =>
  word.length >= MIN_LENGTH && word.length <= MAX_WORD_LENGTH && !STOP_WORDS.has(word);

/** The words of a text by which the index finds it. */
export const soughtWords = (text: string): string[] => [...new Set(wordsOf(text).filter(isIndexed))];

/** What the index has of a comment: its words and its author. */
export function indexedWords(text: string, creator: string): string[] {
  const words = soughtWords(text);
  const all =
    words.length > MAX_WORDS_A_COMMENT ? [...words.slice(0, MAX_WORDS_A_COMMENT), OTHER_WORDS] : words;
  return [...all, authorWord(creator)];
}
