import type { WordIndex } from '../../comments/word-index.ts';
import { authorWord, OTHER_WORDS, soughtWords, wordsOf } from '../../comments/words.ts';
import { errors } from '../../errors.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import { firstCharacter, lastCharacter } from '../../text.ts';
import type { Condition, FieldCondition } from './conditions.ts';

/**
 * What the word index has to say of a condition: a bug that meets it has all words of one of these groups in its
 * comments.
 */
export type Needles = readonly (readonly string[])[];

/** For each condition the bugs whose comments may meet it, with the sort keys of comments that may. */
export type Claims = ReadonlyMap<FieldCondition, ReadonlyMap<number, readonly string[]>>;

/** Words of one phrase that are looked up: the longest, which few comments have. */
const MAX_NARROWING = 8;
/** Hits of all words of a search together, which it keeps in memory. */
const MAX_HITS = 300_000;

/** How operators use the word index; others read the comments. */
const NEEDLES: ReadonlyMap<string, (words: readonly string[]) => string[][]> = new Map([
  ['matches', ([text = '']: readonly string[]) => [soughtWords(text)]],
  ['notmatches', ([text = '']: readonly string[]) => [soughtWords(text)]],
  ['anywords', (words: readonly string[]) => words.map(soughtWords)],
  ['allwords', (words: readonly string[]) => [words.flatMap(soughtWords)]],
  ['substring', ([text = '']: readonly string[]) => [innerWords(text)]],
  ['casesubstring', ([text = '']: readonly string[]) => [innerWords(text)]],
]);

/** The words of a part of a text that are whole in it: those at its ends may go on. */
function innerWords(text: string): string[] {
  const all = text.toLowerCase();
  const words = wordsOf(text);
  const isWord = (character: string) => wordsOf(character).length > 0;
  const inner = words.slice(isWord(firstCharacter(all)) ? 1 : 0, isWord(lastCharacter(all)) ? -1 : undefined);
  return soughtWords(inner.join(' '));
}

/**
 * The words by which the index narrows a condition on comments; undefined: it does not.
 *
 * @param words what the operator compares with
 */
export function needlesOf(field: string, operator: string, words: readonly string[]): Needles | undefined {
  if (field === 'commenter') {
    return operator === 'equals' || operator === 'anyexact'
      ? words.map((login) => [authorWord(login)])
      : undefined;
  }
  if (field !== 'longdesc' && field !== 'content') return undefined;
  // Content is the summary, too: of all words only some may be in comments.
  const needles = NEEDLES.get(field === 'content' && operator === 'allwords' ? 'anywords' : operator)?.(
    words,
  );
  if (needles?.every((group) => group.length > 0) !== true) return undefined;
  return needles.map((group) => group.toSorted((a, b) => b.length - a.length).slice(0, MAX_NARROWING));
}

const conditionsWithNeedles = (condition: Condition): FieldCondition[] => {
  if ('not' in condition) return conditionsWithNeedles(condition.not);
  if ('all' in condition) return condition.all.flatMap(conditionsWithNeedles);
  if ('any' in condition) return condition.any.flatMap(conditionsWithNeedles);
  return condition.needles === undefined ? [] : [condition];
};

/**
 * Looks the conditions of a search up in the word index.
 *
 * @throws errors.searchTooBroad (400, 32000) for a word that more than 100,000 bugs have, or words that have more than
 * 300,000 hits together
 */
export async function readClaims(
  condition: Condition,
  words: WordIndex,
  isInsider: boolean,
): Promise<Claims> {
  const conditions = words.isEnabled ? conditionsWithNeedles(condition) : [];
  if (conditions.length === 0) return new Map();
  const sought = new Set([...conditions.flatMap(({ needles = [] }) => needles.flat()), OTHER_WORDS]);
  let hits = 0;
  const found = new Map(
    await mapConcurrent([...sought], async (word) => {
      const bugs = await words.find(word, isInsider);
      hits += bugs?.size ?? 0;
      if (hits > MAX_HITS) throw errors.searchTooBroad(`${MAX_HITS} hits of words in comments`);
      return [word, bugs] as const;
    }),
  );
  const bugsWith = (word: string) => {
    const bugs = found.get(word);
    if (bugs === undefined) throw errors.searchTooBroad(`100,000 bugs with the word '${word}'`);
    return bugs;
  };
  const others = bugsWith(OTHER_WORDS);
  return new Map(
    conditions.map((one) => {
      const claims = new Map<number, readonly string[]>([...others.keys()].map((bug) => [bug, []]));
      for (const group of one.needles ?? []) {
        const [rarest, ...rest] = group.map(bugsWith).sort((a, b) => a.size - b.size);
        for (const [bug, comments] of rarest ?? []) {
          const isComplete = rest.every((bugs) => bugs.has(bug) || others.has(bug));
          if (isComplete) claims.set(bug, [...(claims.get(bug) ?? []), ...comments]);
        }
      }
      return [one, claims];
    }),
  );
}
