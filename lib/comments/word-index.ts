import * as z from 'zod/mini';
import type { Table } from '../dynamodb/client.ts';
import { canBeKey, commentKey, type Key, keyOf, wordKey, wordRange } from '../dynamodb/keys.ts';
import { anyItem, readItems, readPages, withKey } from '../dynamodb/read.ts';
import { batchWrite } from '../dynamodb/write.ts';
import type { CommentItem } from './schema.ts';
import { indexedWords } from './words.ts';

/** A posting: that a comment of a bug may have a word. */
export const postingItem = withKey(
  z.object({
    bug_id: z.int(),
    /** the sort key of the comment */
    comment: z.string(),
  }),
);

export type Posting = z.infer<typeof postingItem>;

/** A comment as its words are indexed. */
export interface WordSource {
  bug_id: number;
  creator: string;
  text: string;
  is_private: boolean;
  /** the key that the comment is going to have; another one costs the search a read, no more */
  key: Key;
}

/** A comment as its words are indexed. */
export const wordSource = (comment: CommentItem): WordSource => ({ ...comment, key: commentKey(comment) });

/** Postings of the first page of a word: most words have fewer. */
const PAGE_SIZE = 4_000;

export type WordIndex = ReturnType<typeof wordIndex>;

/**
 * The words of comments by which searches find bugs. A posting stands once for a word and a bug, names a comment that
 * has it, and is written before the comment, so that it claims too much at most: searches look at the comment. Private
 * comments have postings of their own.
 */
export function wordIndex(table: Table) {
  const isEnabled = table.indexesComments;

  /** The postings of comments; of those with the same word in the same bug the first. */
  function postingsOf(comments: readonly WordSource[]) {
    const postings = new Map<string, Posting>();
    for (const { bug_id, creator, text, is_private, key } of comments) {
      for (const word of indexedWords(text, creator)) {
        const posting = { ...wordKey(word, bug_id, is_private), bug_id, comment: key.sk };
        const name = textOf(posting);
        if (!postings.has(name)) postings.set(name, posting);
      }
    }
    return postings;
  }

  /**
   * The postings that comments should have and that are not among the known ones.
   *
   * @param isKnown whether a posting with a key exists
   */
  function missingAmong(comments: readonly WordSource[], isKnown: (key: Key) => boolean): Posting[] {
    return [...postingsOf(comments).values()].filter(
      // Callers who may see private comments search the public postings, too.
      (posting) => !isKnown(posting) && !isKnown(publicKey(posting.pk, posting.bug_id)),
    );
  }

  /** The postings that comments should have and do not. */
  async function missing(comments: readonly WordSource[]): Promise<Posting[]> {
    const keys = [...postingsOf(comments).values()].flatMap((posting) => [
      keyOf(posting),
      publicKey(posting.pk, posting.bug_id),
    ]);
    const known = new Set((await readItems(table, keys, anyItem)).map(textOf));
    return missingAmong(comments, (key) => known.has(textOf(key)));
  }

  return {
    isEnabled,

    missing,
    missingAmong,

    /** Looks up which words of a comment are new to its bug, before its key is known. */
    prepare: (comment: Omit<WordSource, 'key'>): Promise<Posting[]> =>
      isEnabled ? missing([{ ...comment, key: { pk: '', sk: '' } }]) : Promise.resolve([]),

    /** Writes what `prepare` has found. */
    async write(postings: readonly Posting[], comment: Key): Promise<void> {
      await batchWrite(
        table,
        postings.map((posting) => ({ ...posting, comment: comment.sk })),
      );
    },

    /** Writes the postings of comments that are new to their bugs. */
    async add(comments: readonly WordSource[]): Promise<void> {
      if (isEnabled && comments.length > 0) await batchWrite(table, await missing(comments));
    },

    /** Writes the postings of comments of new bugs, without looking for known ones. */
    async addNew(comments: readonly WordSource[]): Promise<void> {
      if (isEnabled) await batchWrite(table, [...postingsOf(comments).values()]);
    },

    /**
     * The postings of a word, page by page: the bugs that may have it in their comments.
     *
     * @param isInsider whether private comments count
     */
    async *find(word: string, isInsider: boolean): AsyncGenerator<Posting[]> {
      if (!canBeKey(word)) return;
      yield* readPages(table, wordRange(word, isInsider), postingItem, { pageSize: PAGE_SIZE });
    },
  };
}

const textOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;
const publicKey = (pk: string, bug: number): Key => ({ pk, sk: wordKey('', bug, false).sk });
