import type { AttachmentItem } from '../../attachments/schema.ts';
import type { CommentItem } from '../../comments/schema.ts';
import type { BugPlace } from '../../products/place.ts';
import type { FlagTypeItem } from '../../products/schema.ts';
import type { BugItem, HistoryItem } from '../schema.ts';
import type { IndexedBug } from '../store/index-entry.ts';

/** For each condition, which is the key, the bugs whose comments may meet it, with the sort keys of comments that may. */
export type Claims = ReadonlyMap<object, ReadonlyMap<number, readonly string[]>>;

/** A bug as the search index has it. */
export interface CoveredBug {
  bug: IndexedBug;
  place: BugPlace;
  /** the attributes that only the bug itself has */
  omitted: ReadonlySet<string>;
  /** what the word index says of conditions */
  claims: Claims;
  /** those of its comments that it names, if they were read, as far as the caller may see them */
  claimed: readonly CommentItem[];
  /** when the caller last visited it, if the search asks for that */
  lastVisit: string | undefined;
}

/** A bug as a search looks at it. What takes further reads is read once, when a condition asks for it. */
export interface SearchedBug {
  /** when the search began */
  now: Date;
  bug: BugItem;
  place: BugPlace;
  /** of its product */
  flagTypes: readonly FlagTypeItem[];
  /** when the caller last visited it, if the search asks for that */
  lastVisit: string | undefined;
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
