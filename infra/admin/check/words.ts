import {
  type Posting,
  unpack,
  type WordSource,
  wordIndex,
  wordSource,
} from '../../../lib/comments/word-index.ts';
import { indexedWords } from '../../../lib/comments/words.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { bugKey, wordKey } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import { asyncPortions } from '../../../lib/portions.ts';
import { type Check, type Finding, keyText } from './finding.ts';
import { kinds, ofKind } from './item-kinds.ts';
import { Sketch } from './sketch.ts';

/** Characters of comments, and postings, that are kept in memory, so that a table of some size is read once. */
const MAX_CHARACTERS = 4_000_000;
const MAX_POSTINGS = 500_000;

/**
 * Every word of every comment is in the word index. More may be: what a failed request left, or a comment that became
 * private, costs a read at most. It is counted.
 */
export function wordsCheck(table: Table): Check {
  const words = wordIndex(table);
  const postings = new Set<string>();
  const claimed = new Sketch();
  const present = new Sketch();
  let comments: WordSource[] = [];
  let characters = 0;
  const findings = (missing: readonly Posting[]): Finding[] =>
    [...Map.groupBy(missing, ({ bug_id }) => bug_id)].map(([bug, { length }]) => ({
      item: keyText(bugKey(bug)),
      violation: `has ${length} words in comments that searches do not find; --repair adds them`,
      signature: 'has words that searches do not find',
    }));
  return {
    async scan(items) {
      for (const key of ofKind(items, kinds.posting).flatMap(({ content }) => unpack(content))) {
        claimed.add(keyText(key));
        if (postings.size < MAX_POSTINGS) postings.add(keyText(key));
      }
      const added = commentsOf(items);
      for (const { bug_id, text, creator, is_private } of added) {
        for (const word of indexedWords(text, creator)) {
          present.add(keyText(wordKey(word, bug_id, is_private)));
        }
      }
      comments.push(...added);
      characters += added.reduce((sum, { text }) => sum + text.length, 0);
      if (characters <= MAX_CHARACTERS) return [];
      const checked = comments;
      comments = [];
      characters = 0;
      return findings(await words.missing(checked));
    },
    async finish() {
      const suspect = findings(words.missingAmong(comments, (key) => postings.has(keyText(key))));
      // A comment may be newer than the part of the index that was scanned before it.
      const missing = suspect.length === 0 ? [] : findings(await words.missing(comments));
      return [...missing, ...orphans(claimed.countWithout(present))];
    },
  };
}

function orphans(count: number): Finding[] {
  if (count === 0) return [];
  const violation = `has about ${count} words of bugs that none of their comments has; a search reads a comment for each`;
  return [{ item: 'WORD#', violation, signature: 'has words that no comment has', isNote: true }];
}

/** Adds to the word index what it lacks of the comments among items; a run that was interrupted can be repeated. */
export async function addMissingWords(table: Table, pages: AsyncIterable<Item[]>): Promise<void> {
  const words = wordIndex(table);
  const sizeOf = ({ text }: WordSource) => text.length;
  for await (const comments of asyncPortions(commentsIn(pages), { max: MAX_CHARACTERS, sizeOf })) {
    await words.addMissing(comments);
  }
}

async function* commentsIn(pages: AsyncIterable<Item[]>): AsyncGenerator<WordSource> {
  for await (const items of pages) yield* commentsOf(items);
}

const commentsOf = (items: Item[]) => ofKind(items, kinds.comment).map(({ content }) => wordSource(content));
