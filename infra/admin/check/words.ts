import {
  type Posting,
  type WordIndex,
  type WordSource,
  wordIndex,
  wordSource,
} from '../../../lib/comments/word-index.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { bugKey } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import { type Check, type Finding, keyText } from './finding.ts';
import { kinds, ofKind } from './item-kinds.ts';

/** Comments and postings that are kept in memory, so that a table of some size is read once. */
const MAX_COMMENTS = 10_000;
const MAX_POSTINGS = 500_000;

/** Every word of every comment is in the word index. More may be: what a failed request left costs a read at most. */
export function wordsCheck(table: Table): Check {
  const words = wordIndex(table);
  const postings = new Set<string>();
  let comments: WordSource[] = [];
  const findings = (missing: readonly Posting[]): Finding[] =>
    [...Map.groupBy(missing, ({ bug_id }) => bug_id)].map(([bug, { length }]) => ({
      item: keyText(bugKey(bug)),
      violation: `has ${length} words in comments that searches do not find; --repair adds them`,
      signature: 'has words that searches do not find',
    }));
  return {
    async scan(items) {
      comments.push(...commentsOf(items));
      const found = postings.size < MAX_POSTINGS ? ofKind(items, kinds.posting) : [];
      for (const { key } of found) postings.add(keyText(key));
      if (comments.length <= MAX_COMMENTS && postings.size < MAX_POSTINGS) return [];
      const checked = comments;
      comments = [];
      return findings(await words.missing(checked));
    },
    async finish() {
      const suspect = findings(words.missingAmong(comments, (key) => postings.has(keyText(key))));
      // A comment may be newer than the part of the index that was scanned before it.
      return suspect.length === 0 ? [] : findings(await words.missing(comments));
    },
  };
}

/** Adds to the word index what it lacks of the comments among items; a run that was interrupted can be repeated. */
export async function addWords(words: WordIndex, items: Item[]): Promise<void> {
  await words.add(commentsOf(items));
}

const commentsOf = (items: Item[]) => ofKind(items, kinds.comment).map(({ content }) => wordSource(content));
