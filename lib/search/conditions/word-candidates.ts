import { mapConcurrent } from '../../base/collections.ts';
import { firstCharacter, lastCharacter } from '../../base/text.ts';
import type { Posting, WordIndex } from '../../bugs/comments/word-index.ts';
import { authorWord, OTHER_WORDS, soughtWords, wordsOf } from '../../bugs/comments/words.ts';
import { errors } from '../../errors.ts';
import type { Condition, FieldCondition, IndexTerms } from './conditions.ts';
import type { WordCandidates } from './searched-bug.ts';

/** Words of one phrase that are looked up: the longest, which few comments have. */
const MAX_NARROWING = 8;
/** Few, because pages of frequent words are large and counted when they were read. */
const CONCURRENT_GROUPS = 4;
const CONCURRENT_WORDS = 2;
/** Bugs that may have a word. */
const MAX_BUGS_A_WORD = 100_000;

/** How operators use the word index; others read the comments. */
const INDEX_TERMS: ReadonlyMap<string, (words: readonly string[]) => string[][]> = new Map([
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
export function indexTermsOf(
  field: string,
  operator: string,
  words: readonly string[],
): IndexTerms | undefined {
  if (field === 'commenter') {
    return operator === 'equals' || operator === 'anyexact'
      ? words.map((login) => [authorWord(login)])
      : undefined;
  }
  const indexTerms = field === 'longdesc' ? INDEX_TERMS.get(operator)?.(words) : undefined;
  if (indexTerms?.every((group) => group.length > 0) !== true) return undefined;
  return indexTerms.map(narrowing);
}

/** Of words that a bug must have together those that few comments have: the longest. */
export const narrowing = (words: readonly string[]): string[] =>
  words.toSorted((a, b) => b.length - a.length).slice(0, MAX_NARROWING);

const conditionsWithTerms = (condition: Condition): FieldCondition[] => {
  if ('not' in condition) return conditionsWithTerms(condition.not);
  if ('all' in condition) return condition.all.flatMap(conditionsWithTerms);
  if ('any' in condition) return condition.any.flatMap(conditionsWithTerms);
  return condition.indexTerms === undefined ? [] : [condition];
};

/** What was read of the postings of a word. */
interface WordPostings {
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
 * @param countPostings counts those of all words together, which the search keeps in memory
 */
export async function readWordCandidates(
  condition: Condition,
  words: WordIndex,
  isInsider: boolean,
  countPostings: (count: number) => void,
): Promise<WordCandidates> {
  const conditions = words.isEnabled ? conditionsWithTerms(condition) : [];
  if (conditions.length === 0) return new Map();
  const groups = [...conditions.flatMap(({ indexTerms = [] }) => indexTerms), [OTHER_WORDS]];
  const known = new Map(
    [...new Set(groups.flat())].map((word): [string, WordPostings] => [
      word,
      { word, pages: words.find(word, isInsider), bugs: new Map(), state: 'begun' },
    ]),
  );
  const postingsOf = (group: readonly string[]) => group.flatMap((word) => known.get(word) ?? []);
  async function readPage(postings: WordPostings): Promise<void> {
    if (postings.state !== 'begun') return;
    const { value = [], done } = await postings.pages.next();
    countPostings(value.length);
    for (const { bug_id, comment } of value) {
      postings.bugs.set(bug_id, [...(postings.bugs.get(bug_id) ?? []), comment]);
    }
    if (done === true) postings.state = 'whole';
    else if (postings.bugs.size > MAX_BUGS_A_WORD) postings.state = 'too many';
  }
  const readGroup = async (group: readonly string[]) => {
    const all = postingsOf(group);
    while (!all.some(({ state }) => state === 'whole')) {
      if (all.every(({ state }) => state === 'too many')) {
        throw errors.searchTooBroad(`${MAX_BUGS_A_WORD} bugs with the word '${group[0]}'`);
      }
      await mapConcurrent(all, readPage, CONCURRENT_WORDS);
    }
  };
  await mapConcurrent(groups, readGroup, CONCURRENT_GROUPS);
  const wholeOf = (group: readonly string[]) =>
    postingsOf(group).flatMap(({ bugs, state }) => (state === 'whole' ? [bugs] : []));
  const [others = new Map()] = wholeOf([OTHER_WORDS]);
  return new Map(
    conditions.map((one) => {
      const bugs = new Map<number, readonly string[]>([...others.keys()].map((bug) => [bug, []]));
      for (const group of one.indexTerms ?? []) {
        const [rarest, ...rest] = wholeOf(group).sort((a, b) => a.size - b.size);
        for (const [bug, comments] of rarest ?? []) {
          const isComplete = rest.every((further) => further.has(bug) || others.has(bug));
          if (isComplete) bugs.set(bug, [...(bugs.get(bug) ?? []), ...comments]);
        }
      }
      return [one, bugs];
    }),
  );
}
