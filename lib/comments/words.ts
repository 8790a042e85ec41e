import { lowerCase, normalizeName } from '../text.ts';

/** Words are runs of letters and digits, with the marks that belong to them. */
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** In characters; longer and shorter words are not in the index. */
const MIN_LENGTH = 3;
const MAX_LENGTH = 40;
/** Distinct words of a comment that are indexed; a bug with more is among the hits of every word. */
const MAX_WORDS = 2_000;

/** Words of English that nearly every comment has, as databases leave out: they are not sought in comments. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'about after again against all also and another any are because been before being between both but can ' +
    'cannot could did does each either else even ever every few for from get gets got had has have her here ' +
    'him his how however into its just like many may might more most much must neither nor not ' +
    'now off once one only other others otherwise our out over own same see she should since some still such ' +
    'than that the their them then there these they this those though through too under unless until upon ' +
    'very was way were what when where whether which while who whose why will with within without would yet ' +
    'you your'
  ).split(' '),
);

/** Stands for the words of a bug that are not indexed: no word has an asterisk. */
export const OTHER_WORDS = '*';

/** Stands for the author of a comment: no word has an at sign. */
export const authorWord = (login: string): string => `@${normalizeName(login)}`;

/** The words of a text in order, in the form in which texts are compared. */
export const wordsOf = (text: string): string[] => lowerCase(text).match(WORD) ?? [];

const isIndexed = (word: string): boolean =>
  word.length >= MIN_LENGTH && word.length <= MAX_LENGTH && !STOP_WORDS.has(word);

/** The words of a text by which the index finds it. */
export const soughtWords = (text: string): string[] => [...new Set(wordsOf(text).filter(isIndexed))];

/** What the index has of a comment: its words and its author. */
export function indexedWords(text: string, creator: string): string[] {
  const words = soughtWords(text);
  const all = words.length > MAX_WORDS ? [...words.slice(0, MAX_WORDS), OTHER_WORDS] : words;
  return [...all, authorWord(creator)];
}
