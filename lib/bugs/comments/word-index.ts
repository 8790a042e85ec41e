import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { mapConcurrent, portions } from '../../base/collections.ts';
import { canBeKey } from '../../base/names.ts';
import { errors } from '../../errors.ts';
import type { Table } from '../../table/client.ts';
import { currentBudget } from '../../table/consumption.ts';
import {
  commentKey,
  isPrivatePosting,
  type Key,
  keyOf,
  keyText,
  packedWordKey,
  packedWordRange,
  unpackedWordKey,
  wordKey,
  wordRange,
} from '../../table/keys.ts';
import { anyItem, type Item, readItems, readPages, withKey } from '../../table/read.ts';
import { batchWrite, deleteItem, putItem } from '../../table/write.ts';
import { ownWords } from '../attachments/presenter.ts';
import type { CommentItem } from './schema.ts';
import { indexedWords } from './words.ts';

/** A posting: that a comment of a bug may have a word. */
const onePosting = withKey(
  z.object({
    bug_id: z.int(),
    /** the sort key of the comment */
    comment: z.string(),
  }),
);
/**
 * Postings of several bugs with the same word, which were written together: in each line a bug and the sort key of the
 * comment. One text is read and written several times faster than a list.
 */
const packedPostings = withKey(z.object({ packed: z.string().check(z.regex(/^\d+ \S+(\n\d+ \S+)*$/)) }));
export const postingItem = z.union([onePosting, packedPostings]);

export type Posting = z.infer<typeof onePosting>;

/** The postings that an item has, with the keys that they would have one by one. */
export function unpack(item: z.infer<typeof postingItem>): Posting[] {
  if (!('packed' in item)) return [item];
  return item.packed.split('\n').map((line) => {
    const space = line.indexOf(' ');
    const bug_id = Number(line.slice(0, space));
    return { ...unpackedWordKey(item, bug_id), bug_id, comment: line.slice(space + 1) };
  });
}

/** A comment as its words are indexed. */
export interface WordSource {
  bug_id: number;
  creator: string;
  text: string;
  is_private: boolean;
  /** the key that the comment is going to have; another one costs the search a read, no more */
  key: Key;
}

/** A comment as its words are indexed: of one on an attachment only its own, as Bugzilla does. */
export const wordSource = (comment: CommentItem): WordSource => ({
  ...comment,
  text: ownWords(comment.text, comment.attachment_id),
  key: commentKey(comment),
});

/** Items of the first page of a word: most words have fewer. */
const PAGE_SIZE = 4_000;
/** Postings that share an item: about 50 KB. */
const MAX_PACKED = 1_000;
/** That a request writes, one unit each: all words of two of the largest comments. */
const MAX_POSTINGS = 4_000;
/** Postings that a request looks up to find those that are new: two for a word of a private comment. */
const MAX_LOOKED_UP = 2 * MAX_POSTINGS;
/** Concurrent batches of large items, which take long. */
const CONCURRENT_BATCHES = 4;

export type WordIndex = ReturnType<typeof wordIndex>;

/**
 * The words of comments by which searches find bugs. For each word and bug there is at least one posting, which names a
 * comment that has it and is written before the comment, so that it names too many bugs at most: searches look at the
 * comment. Private comments have postings of their own.
 */
export function wordIndex(table: Table) {
  const isEnabled = table.indexesComments;

  /** The postings of a request, if it may write so many. */
  function bounded(postings: readonly Posting[]): readonly Posting[] {
    const max = Math.min(MAX_POSTINGS, table.writeBudget.max);
    if (postings.length > max) {
      throw errors.requestTooLarge(`${max} words that are new to the bugs, together`);
    }
    table.writeBudget.requireTime(postings.length);
    return postings;
  }

  /** Writes the postings of a request, at the pace of what is written before transactions. */
  const writePaced = (postings: readonly Posting[]): Promise<void> =>
    batchWrite(table, [...postings], {
      before: async (batch) => void (await table.writeBudget.take(batch.length)),
    });

  return {
    isEnabled,

    /** The postings of comments that are new to their bugs, but for packed ones, as many as a request may write. */
    newOf: async (comments: readonly WordSource[]): Promise<readonly Posting[]> =>
      isEnabled && comments.length > 0 ? bounded(await withoutOwnItem(table, comments, MAX_LOOKED_UP)) : [],

    /** The postings of comments of new bugs, without looking for known ones, as many as a request may write. */
    allOf: (comments: readonly WordSource[]): readonly Posting[] =>
      isEnabled ? bounded([...postingsOf(comments).values()]) : [],

    /** Writes the result of `newOf` or `allOf`. */
    writeAll: writePaced,

    /** Writes the postings of comments that are new to their bugs, for commands, whose size nothing bounds. */
    async addAll(comments: readonly WordSource[]): Promise<void> {
      if (isEnabled && comments.length > 0) await batchWrite(table, await withoutOwnItem(table, comments));
    },

    /**
     * The postings of a word, page by page: the bugs that may have it in their comments.
     *
     * @param isInsider whether private comments count
     * @throws BugzillaError 503 before the table of an earlier version is upgraded
     */
    async *find(word: string, isInsider: boolean): AsyncGenerator<Posting[]> {
      await table.format.requireConverted();
      if (!canBeKey(word)) return;
      const pages = readPages(table, wordRange(word, isInsider), postingItem, { pageSize: PAGE_SIZE });
      for await (const page of pages) yield page.flatMap(unpack);
    },
  };
}

const publicKey = (pk: string, bug: number): Key => ({ pk, sk: wordKey('', bug, false).sk });

/** The postings that comments should have and do not have as items of their own. */
async function withoutOwnItem(
  table: Table,
  comments: readonly WordSource[],
  max = Infinity,
): Promise<Posting[]> {
  const postings = postingsOf(comments);
  const both = [...postings.values()].flatMap((posting) => [
    keyOf(posting),
    publicKey(posting.pk, posting.bug_id),
  ]);
  const keys = [...new Map(both.map((key) => [keyText(key), key])).values()];
  if (keys.length > max) throw errors.requestTooLarge(`${max} words of comments, together`);
  currentBudget().allowMore();
  const known = new Set((await readItems(table, keys, anyItem)).map(keyText));
  return [...postings.values()].filter(
    // Callers who may see private comments search the public postings, too.
    (posting) => !known.has(keyText(posting)) && !known.has(keyText(publicKey(posting.pk, posting.bug_id))),
  );
}

/** The postings of comments; of those with the same word in the same bug the first. */
function postingsOf(comments: readonly WordSource[]) {
  const postings = new Map<string, Posting>();
  for (const { bug_id, creator, text, is_private, key } of comments) {
    for (const word of indexedWords(text, creator)) {
      const posting = { ...wordKey(word, bug_id, is_private), bug_id, comment: key.sk };
      const name = keyText(posting);
      if (!postings.has(name)) postings.set(name, posting);
    }
  }
  return postings;
}

/**
 * Writes the postings of comments of many bugs: an item has those of a word of all of them. A repeated write adds items of its own,
 * so that nothing is overwritten.
 */
export async function addPackedWords(table: Table, comments: readonly WordSource[]): Promise<void> {
  if (!table.indexesComments) return;
  const byRange = Map.groupBy(postingsOf(comments).values(), (one) => keyText(packedWordKey(one, '')));
  const items = [...byRange.values()].flatMap((postings): Item[] => {
    const [first] = postings;
    if (first === undefined || postings.length === 1) return postings;
    return [...portions(postings, { max: MAX_PACKED })].map((portion) => ({
      ...packedWordKey(first, randomUUID()),
      packed: portion.map(({ bug_id, comment }) => `${bug_id} ${comment}`).join('\n'),
    }));
  });
  await batchWrite(table, items, { concurrency: CONCURRENT_BATCHES });
}

/**
 * Removes the postings of a comment that is erased, where no other comment of its bug has the word.
 *
 * @param remaining the comments of the bug afterwards
 */
export async function removeWords(
  table: Table,
  erased: WordSource,
  remaining: readonly WordSource[],
): Promise<void> {
  const needed = new Set(postingsOf(remaining).keys());
  const postings = [true, false].flatMap((is_private) => [
    ...postingsOf([{ ...erased, is_private }]).values(),
  ]);
  const unneeded = postings.filter((posting) => !needed.has(keyText(posting)));
  await mapConcurrent(unneeded, async (posting) => {
    await deleteItem(table, keyOf(posting));
    const range = packedWordRange(posting.pk, isPrivatePosting(posting));
    for await (const page of readPages(table, range, packedPostings)) {
      for (const item of page) await unpackBug(table, item, posting.bug_id);
    }
  });
}

/** Removes a bug from an item with postings of several bugs. */
async function unpackBug(table: Table, item: z.infer<typeof packedPostings>, bug: number): Promise<void> {
  const lines = item.packed.split('\n');
  const kept = lines.filter((line) => !line.startsWith(`${bug} `));
  if (kept.length === lines.length) return;
  if (kept.length === 0) await deleteItem(table, keyOf(item));
  else {
    const guard = { condition: 'packed = :read', values: { ':read': item.packed } };
    await putItem(table, { ...keyOf(item), packed: kept.join('\n') }, guard);
  }
}
