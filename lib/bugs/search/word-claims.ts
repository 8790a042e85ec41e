import type { Posting, WordIndex } from '../../comments/word-index.ts';
import { authorWord, OTHER_WORDS, soughtWords, wordsOf } from '../../comments/words.ts';
import { errors } from '../../errors.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import { firstCharacter, lastCharacter } from '../../text.ts';
import type { Condition, FieldCondition, Needles } from './conditions.ts';
import type { Claims } from './searched-bug.ts';

/** Words of one phrase that are looked up: the longest, which few comments have. */
const MAX_NARROWING = 8;
/** Few, because pages of frequent words are large and counted when they were read. */
const CONCURRENT_GROUPS = 4;
const CONCURRENT_WORDS = 2;
/** Bugs that may have a word. */
const MAX_BUGS = 100_000;

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
  const words = wordsOf(text);
  const isWord = (character: string) => wordsOf(character).length > 0;
  const inner = words.slice(
    isWord(firstCharacter(text)) ? 1 : 0,
    isWord(lastCharacter(text)) ? -1 : undefined,
  );
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
  return needles.map(narrowing);
}

/** Of words that a bug must have together those that few comments have: the longest. */
export const narrowing = (words: readonly string[]): string[] =>
  words.toSorted((a, b) => b.length - a.length).slice(0, MAX_NARROWING);

const conditionsWithNeedles = (condition: Condition): FieldCondition[] => {
  if ('not' in condition) return conditionsWithNeedles(condition.not);
  if ('all' in condition) return condition.all.flatMap(conditionsWithNeedles);
  if ('any' in condition) return condition.any.flatMap(conditionsWithNeedles);
  return condition.needles === undefined ? [] : [condition];
};

/** What was read of the postings of a word. */
interface Hits {
  word: string;
  pages: AsyncGenerator<Posting[]>;
  /** the sort keys of comments that may have the word, by bug */
  bugs: Map<number, string[]>;
  state: 'begun' | 'whole' | 'too many';
}

/**
 * Looks the conditions of a search up in the word index. Of several words that a comment must have, those are read whole
 * that few bugs have.
 *
 * @param countHits counts those of all words together, which the search keeps in memory
 */
export async function readClaims(
  condition: Condition,
  words: WordIndex,
  isInsider: boolean,
  countHits: (count: number) => void,
): Promise<Claims> {
  const conditions = words.isEnabled ? conditionsWithNeedles(condition) : [];
  if (conditions.length === 0) return new Map();
  const groups = [...conditions.flatMap(({ needles = [] }) => needles), [OTHER_WORDS]];
  const known = new Map(
    [...new Set(groups.flat())].map((word): [string, Hits] => [
      word,
      { word, pages: words.find(word, isInsider), bugs: new Map(), state: 'begun' },
    ]),
  );
  const hitsOf = (group: readonly string[]) => group.flatMap((word) => known.get(word) ?? []);
  async function readPage(hits: Hits): Promise<void> {
    if (hits.state !== 'begun') return;
    const { value = [], done } = await hits.pages.next();
    countHits(value.length);
    for (const { bug_id, comment } of value) {
      hits.bugs.set(bug_id, [...(hits.bugs.get(bug_id) ?? []), comment]);
    }
    if (done === true) hits.state = 'whole';
    else if (hits.bugs.size > MAX_BUGS) hits.state = 'too many';
  }
  const readGroup = async (group: readonly string[]) => {
    const all = hitsOf(group);
    while (!all.some(({ state }) => state === 'whole')) {
      if (all.every(({ state }) => state === 'too many')) {
        throw errors.searchTooBroad(`${MAX_BUGS} bugs with the word '${group[0]}'`);
      }
      await mapConcurrent(all, readPage, CONCURRENT_WORDS);
    }
  };
  await mapConcurrent(groups, readGroup, CONCURRENT_GROUPS);
  const wholeOf = (group: readonly string[]) =>
    hitsOf(group).flatMap(({ bugs, state }) => (state === 'whole' ? [bugs] : []));
  const [others = new Map()] = wholeOf([OTHER_WORDS]);
  return new Map(
    conditions.map((one) => {
      const claims = new Map<number, readonly string[]>([...others.keys()].map((bug) => [bug, []]));
      for (const group of one.needles ?? []) {
        const [rarest, ...rest] = wholeOf(group).sort((a, b) => a.size - b.size);
        for (const [bug, comments] of rarest ?? []) {
          const isComplete = rest.every((bugs) => bugs.has(bug) || others.has(bug));
          if (isComplete) claims.set(bug, [...(claims.get(bug) ?? []), ...comments]);
        }
      }
      return [one, claims];
    }),
  );
}
