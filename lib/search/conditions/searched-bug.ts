import type { AttachmentItem } from '../../bugs/attachments/schema.ts';
import type { IndexedBug } from '../../bugs/change-log/indexed-bug.ts';
import type { CommentItem } from '../../bugs/comments/schema.ts';
import type { StoredValue } from '../../bugs/fields/kinds.ts';
import type { BugItem, HistoryItem } from '../../bugs/schema.ts';
import type { BugPlace } from '../../products/place.ts';
import type { FlagTypeItem } from '../../products/schema.ts';
import type { Column } from '../index/column.ts';
import type { Segment } from '../index/segment.ts';

/** For each condition, which is the key, the bugs whose comments may meet it, with the sort keys of comments that may. */
export type WordCandidates = ReadonlyMap<object, ReadonlyMap<number, readonly string[]>>;

/** A bug as a search looks at it: as the search index has it, or as it was read. */
export interface SearchedBug {
  id: number;
  /** The value of an attribute, as `indexedAttribute` names it; undefined: the bug has to be read. */
  value(attribute: string): StoredValue | undefined;
  /** What the index has of it, perhaps without long values; undefined: the bug has to be read. */
  indexed(): IndexedBug | undefined;
  /** read units that the bug takes; absent: unknown */
  units?: number | undefined;
  place: BugPlace;
  /** of its product */
  flagTypes: readonly FlagTypeItem[];
  /** when the search began */
  now: Date;
  /** when the caller last visited it, if the search asks for that */
  lastVisit: string | undefined;
  /** what the word index says of conditions */
  wordCandidates: WordCandidates;
  /** those of its comments that it names, if they were read, as far as the caller may see them */
  namedComments: readonly CommentItem[];
  /** where the index has it: equal values of a segment have the same code */
  at?: { segment: Segment; row: number };
  /** absent: the bug was not read */
  read?: ReadBug;
}

/** A bug that was read. What takes further reads is read once, when a condition asks for it. */
export interface ReadBug {
  bug: BugItem;
  /** the comments that the caller may see, oldest first */
  comments(): Promise<readonly CommentItem[]>;
  /** the attachments that the caller may see */
  attachments(): Promise<readonly AttachmentItem[]>;
  /** the data of these, as text */
  attachmentTexts(): Promise<string[]>;
  /** what changed, oldest first */
  history(): Promise<readonly HistoryItem[]>;
  /** Lets go of what was read beside the bug. */
  forget(): void;
  /** the real name of a user; '' without one */
  realName(login: string): Promise<string>;
}

/** A value, or a promise of one where something has to be read. */
export type Eventual<T> = T | Promise<T>;

/** What follows from a value, at once where it is there. */
export const andThen = <T, U>(value: Eventual<T>, next: (value: T) => U): Eventual<U> =>
  value instanceof Promise ? value.then(next) : next(value);

/**
 * Computes what depends on one attribute only: in a segment once for each of its different values.
 *
 * @param ofFolded computes the same of a text that is folded already; absent: it takes values as they are
 */
export function byValue<T>(
  attribute: string,
  compute: (searched: SearchedBug) => T,
  ofFolded?: (text: string) => T,
): (searched: SearchedBug) => T {
  let last: Segment | undefined;
  let column: Column | undefined;
  let isShared = false;
  let known: { result: T }[] = [];
  return (searched) => {
    const { at } = searched;
    if (at === undefined) return compute(searched);
    if (at.segment !== last) {
      last = at.segment;
      column = last.column(attribute);
      isShared = column !== undefined && column.size < last.rows;
      known = [];
    }
    if (column === undefined || last.isOmitted(at.row, attribute)) return compute(searched);
    const code = column.codeOf(at.row);
    if (ofFolded !== undefined && column.folded !== undefined) return ofFolded(column.folded(code));
    if (!isShared) return compute(searched);
    const memo = known[code] ?? { result: compute(searched) };
    known[code] = memo;
    return memo.result;
  };
}
