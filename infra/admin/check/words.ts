import { type WordIndex, wordIndex, wordSource } from '../../../lib/comments/word-index.ts';
import type { Table } from '../../../lib/dynamodb/client.ts';
import { bugKey } from '../../../lib/dynamodb/keys.ts';
import type { Item } from '../../../lib/dynamodb/read.ts';
import { type Check, keyText } from './finding.ts';
import { kinds, ofKind } from './item-kinds.ts';

/** Every word of every comment is in the word index. More may be: what a failed request left costs a read at most. */
export function wordsCheck(table: Table): Check {
  const words = wordIndex(table);
  return {
    async scan(items) {
      const missing = await words.missing(commentsOf(items));
      const counts = Map.groupBy(missing, ({ bug_id }) => bug_id);
      return [...counts].map(([bug, postings]) => ({
        item: keyText(bugKey(bug)),
        violation: `has ${postings.length} words in comments that searches do not find; --repair adds them`,
        signature: 'has words that searches do not find',
      }));
    },
  };
}

/** Adds to the word index what it lacks of the comments among items; a run that was interrupted can be repeated. */
export async function addWords(words: WordIndex, items: Item[]): Promise<void> {
  await words.add(commentsOf(items));
}

const commentsOf = (items: Item[]) => ofKind(items, kinds.comment).map(({ content }) => wordSource(content));
