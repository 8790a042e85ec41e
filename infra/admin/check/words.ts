import { lowerBound, mapConcurrent, portions } from '../../../lib/base/collections.ts';
import {
  addPackedWords,
  missingWords,
  type Posting,
  unpack,
  type WordSource,
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

/** Bugs whose comments are looked at again at the same time. */
const BUGS_TOGETHER = 200;
/** More are not reported. */
const MAX_REPORTED_BUGS = 2_000;

/**
 * Every word of every comment is in the word index. More may be: what a failed request left, or a comment that became
 * private, costs a read at most.
 */
export function wordsCheck(table: Table): Check {
  const sets = new WordSets();
  return {
    async scan(items) {
      sets.add(items);
      return [];
    },
    async finish() {
      const suspect = [...sets.compare().incomplete].slice(0, MAX_REPORTED_BUGS);
      const missing: Posting[] = [];
      // A comment may be newer than the part of the index that was scanned before it.
      for (const bugs of portions(suspect, { max: BUGS_TOGETHER })) {
        missing.push(...(await missingWords(table, await commentsOf(table, bugs))));
      }
      return [...Map.groupBy(missing, ({ bug_id }) => bug_id)].map(
        ([bug, { length }]): Finding => ({
          item: keyText(bugKey(bug)),
          violation: `has ${length} words in comments that searches do not find; --repair adds them`,
          signature: 'has words that searches do not find',
        }),
      );
    },
  };
}

/** Adds to the word index what it lacks; a run that was interrupted can be repeated. @param pages the items of the table */
export async function addMissingWords(table: Table, pages: AsyncIterable<Item[]>): Promise<void> {
  if (!table.indexesComments) return;
  const sets = new WordSets();
  for await (const items of pages) sets.add(items);
  const { incomplete, isMissing } = sets.compare();
  for (const bugs of portions([...incomplete], { max: BUGS_TOGETHER })) {
    await addPackedWords(table, await commentsOf(table, bugs), isMissing);
  }
}

/** The comments of bugs that match their schema. */
async function commentsOf(table: Table, bugs: readonly number[]): Promise<WordSource[]> {
  const items = await mapConcurrent(bugs, (bug) =>
    readRange(table, { pk: bugPartition(bug), ...commentRange() }, anyItem),
  );
  return sourcesIn(items.flat().filter((item) => validateItem(item) === undefined));
}

const sourcesIn = (items: Item[]): WordSource[] =>
  ofKind(items, kinds.comment).map(({ content }) => wordSource(content));

/**
 * The words of bugs that the word index has, and those that their comments have: a hash join, which takes no reads. Memory holds
 * 8 bytes for each of the first, 16 for each of the others.
 */
class WordSets {
  readonly #indexed = new NumberList();
  readonly #used = new NumberList();
  /** of `#used` */
  readonly #bugs = new NumberList();

  add(items: Item[]): void {
    for (const { content } of ofKind(items, kinds.posting)) {
      for (const posting of unpack(content)) this.#indexed.push(codeOfPosting(posting));
    }
    for (const { bug_id, text, creator, is_private } of sourcesIn(items)) {
      for (const word of indexedWords(text, creator)) {
        this.#used.push(codeOf(word, bug_id, is_private));
        this.#bugs.push(bug_id);
      }
    }
  }

  /**
   * Compares the sets, to which nothing can be added after that.
   *
   * @returns the bugs with words that the index lacks, and whether it lacks a posting
   */
  compare(): { incomplete: Set<number>; isMissing: (posting: Posting) => boolean } {
    const indexed = this.#indexed.values.sort();
    const has = (code: number) => indexed[lowerBound(indexed, code)] === code;
    // A public posting is found by those who may see private comments, too.
    const isMissing = (code: number) => !has(code) && !has(code - (code % 2));
    const bugs = this.#bugs.values;
    const incomplete = new Set<number>();
    for (const [at, code] of this.#used.values.entries()) {
      if (isMissing(code)) incomplete.add(bugs[at] ?? 0);
    }
    return { incomplete, isMissing: (posting) => isMissing(codeOfPosting(posting)) };
  }
}

/** A list of numbers, of 8 bytes each. */
class NumberList {
  #numbers = new Float64Array(1_024);
  #length = 0;

  /** not copied */
  get values(): Float64Array {
    return this.#numbers.subarray(0, this.#length);
  }

  push(number: number): void {
    if (this.#length === this.#numbers.length) {
      const larger = new Float64Array(2 * this.#length);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[this.#length] = number;
    this.#length += 1;
  }
}

const codeOfPosting = (posting: Posting): number =>
  codeOf(wordOfPosting(posting), posting.bug_id, isPrivatePosting(posting));

/** 52 bits of a hash of word and bug, and one that says whether the word is private. */
function codeOf(word: string, bug: number, isPrivate: boolean): number {
  let [high, low] = [Math.imul(bug, 0x9e3779b1) ^ 0xdeadbeef, Math.imul(bug, 0x5f356495) ^ 0x41c6ce57];
  for (let at = 0; at < word.length; at += 1) {
    const unit = word.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return ((high & 0xfffff) * 0x1_0000_0000 + (low >>> 0)) * 2 + Number(isPrivate);
}
