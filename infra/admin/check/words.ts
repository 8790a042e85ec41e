import { mapConcurrent, portions } from '../../../lib/base/collections.ts';
import {
  type Posting,
  unpack,
  type WordSource,
  wordIndex,
  wordSource,
} from '../../../lib/bugs/comments/word-index.ts';
import { indexedWords } from '../../../lib/bugs/comments/words.ts';
import type { Table } from '../../../lib/table/client.ts';
import {
  bugKey,
  bugPartition,
  commentRange,
  isPrivatePosting,
  keyText,
  wordOfPosting,
} from '../../../lib/table/keys.ts';
import { anyItem, type Item, readRange } from '../../../lib/table/read.ts';
import type { Check, Finding } from './finding.ts';
import { kinds, ofKind, validateItem } from './item-kinds.ts';
import { type BugWord, type Comparison, WordSets } from './word-sets.ts';

/** Bugs whose comments are looked at again at the same time. */
const BUGS_TOGETHER = 200;
/** More are not reported. */
const MAX_BUGS = 2_000;

/**
 * Every word of every comment is in the word index. More may be: what a failed request left, or a comment that became
 * private, costs a read at most.
 *
 * @param read the items of the table, for words that are too many to be compared at once
 */
export function wordsCheck(table: Table, read: () => AsyncIterable<Item[]>): Check {
  const words = wordIndex(table);
  const sets = new WordSets();
  return {
    async scan(items) {
      addWords(sets, items);
      return [];
    },
    async finish() {
      const incomplete = new Set<number>();
      for await (const part of comparisons(sets, read)) {
        for (const bug of part.incomplete) incomplete.add(bug);
      }
      const suspect = [...incomplete].slice(0, MAX_BUGS);
      const missing: Posting[] = [];
      // A comment may be newer than the part of the index that was scanned before it.
      for (const bugs of portions(suspect, { max: BUGS_TOGETHER })) {
        missing.push(...(await words.missing(await commentsOf(table, bugs))));
      }
      return findings(missing);
    },
  };
}

const findings = (missing: readonly Posting[]): Finding[] =>
  [...Map.groupBy(missing, ({ bug_id }) => bug_id)].map(([bug, { length }]) => ({
    item: keyText(bugKey(bug)),
    violation: `has ${length} words in comments that searches do not find; --repair adds them`,
    signature: 'has words that searches do not find',
  }));

/** Adds to the word index what it lacks; a run that was interrupted can be repeated. @param read the items of the table */
export async function addMissingWords(table: Table, read: () => AsyncIterable<Item[]>): Promise<void> {
  const words = wordIndex(table);
  if (!words.isEnabled) return;
  const sets = new WordSets();
  for await (const items of read()) addWords(sets, items);
  for await (const { incomplete, isMissing } of comparisons(sets, read)) {
    for (const bugs of portions([...incomplete], { max: BUGS_TOGETHER })) {
      await words.addPacked(await commentsOf(table, bugs), (posting) => isMissing(wordOf(posting)));
    }
  }
}

/** Compares words of a table that was scanned, part by part; it is scanned again for each further part of them. */
async function* comparisons(sets: WordSets, read: () => AsyncIterable<Item[]>): AsyncGenerator<Comparison> {
  const { parts } = sets;
  yield sets.compare();
  for (let part = 1; part < parts; part += 1) {
    const others = new WordSets({ part, parts });
    for await (const items of read()) addWords(others, items);
    yield others.compare();
  }
}

function addWords(sets: WordSets, items: Item[]): void {
  for (const { content } of ofKind(items, kinds.posting)) {
    for (const posting of unpack(content)) sets.addIndexed(wordOf(posting));
  }
  for (const { bug_id: bug, text, creator, is_private: isPrivate } of sourcesIn(items)) {
    for (const word of indexedWords(text, creator)) sets.addUsed({ word, bug, isPrivate });
  }
}

const wordOf = (posting: Posting): BugWord => ({
  word: wordOfPosting(posting),
  bug: posting.bug_id,
  isPrivate: isPrivatePosting(posting),
});

const sourcesIn = (items: Item[]): WordSource[] =>
  ofKind(items, kinds.comment).map(({ content }) => wordSource(content));

/** The comments of bugs that match their schema. */
async function commentsOf(table: Table, bugs: readonly number[]): Promise<WordSource[]> {
  const items = await mapConcurrent(bugs, (bug) =>
    readRange(table, { pk: bugPartition(bug), ...commentRange() }, anyItem),
  );
  return sourcesIn(items.flat().filter((item) => validateItem(item) === undefined));
}
