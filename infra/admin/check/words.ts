import { hash } from 'node:crypto';
import { lowerBound } from '../../../lib/base/collections.ts';
import { unpack, type WordSource, wordIndex, wordSource } from '../../../lib/bugs/comments/word-index.ts';
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
import { kinds, ofKind } from './item-kinds.ts';

/** More are not reported. */
const MAX_REPORTED_BUGS = 2_000;

/**
 * Every word of every comment is in the word index. More may be: what a failed request left, or a comment that became
 * private, costs a read at most. A hash join, which takes no reads: memory holds 8 bytes for each word of a bug that the index
 * has, and 16 for each that comments have.
 */
export function wordsCheck(table: Table): Check {
  const indexed: number[] = [];
  const used: number[] = [];
  /** of `used` */
  const bugsOfUsed: number[] = [];
  return {
    async scan(items) {
      for (const { content } of ofKind(items, kinds.posting)) {
        for (const one of unpack(content)) {
          indexed.push(codeOf(wordOfPosting(one), one.bug_id, isPrivatePosting(one)));
        }
      }
      for (const { bug_id, text, creator, is_private } of sourcesIn(items)) {
        for (const word of indexedWords(text, creator)) {
          used.push(codeOf(word, bug_id, is_private));
          bugsOfUsed.push(bug_id);
        }
      }
      return [];
    },
    async finish() {
      const sorted = new Float64Array(indexed).sort();
      const has = (code: number) => sorted[lowerBound(sorted, code)] === code;
      const missing = new Map<number, Set<number>>();
      for (const [at, code] of used.entries()) {
        const bug = bugsOfUsed[at] ?? 0;
        // A public posting is found by those who may see private comments, too.
        const isFound = has(code) || has(code - (code % 2));
        if (isFound || (missing.size === MAX_REPORTED_BUGS && !missing.has(bug))) continue;
        missing.set(bug, (missing.get(bug) ?? new Set()).add(code));
      }
      // Of comments that are newer than the part of the index that was scanned before them, the next scan misses another number.
      return [...missing].map(
        ([bug, words]): Finding => ({
          item: keyText(bugKey(bug)),
          violation: `has ${words.size} words in comments that searches do not find`,
          repair: () => addWords(table, bug),
        }),
      );
    },
  };
}

/** Adds the words of the comments of a bug that match their schema. */
async function addWords(table: Table, bug: number): Promise<undefined> {
  const items = await readRange(table, { pk: bugPartition(bug), ...commentRange() }, anyItem);
  await wordIndex(table).addAll(sourcesIn(items));
}

const sourcesIn = (items: Item[]): WordSource[] =>
  ofKind(items, kinds.comment).map(({ content }) => wordSource(content));

/** 48 bits of a hash of word and bug, and one that says whether the word is private. */
const codeOf = (word: string, bug: number, isPrivate: boolean): number =>
  hash('sha1', `${bug} ${word}`, 'buffer').readUIntBE(0, 6) * 2 + Number(isPrivate);
