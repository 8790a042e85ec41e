import * as z from 'zod/mini';
import { storedShape } from './fields/registry.ts';
import { flagItems } from './flags/schema.ts';

/** The values of custom fields that are not empty, by name. */
export const customValues = z._default(
  z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])),
  {},
);

/**
 * A bug as stored: its fields, and what the repository counts. What has a default was added later: items written before
 * read it. Lists are sorted, texts by folded name, numbers by value.
 */
export const bugItem = z.object({
  ...storedShape(),
  custom: customValues,
  flags: flagItems,
  attachment_count: z._default(z.int(), 0),
  /** how many comments it has; the next one's count */
  comment_count: z.int(),
  /** of the newest comment; the next one's is not before it */
  last_comment_time: z.string(),
  /** counts the changes of its fields, so that none is made over another; comments do not count */
  revision: z.int(),
  /** when it was written last, where that is not the time of its last change, as what a catalogue brings */
  logged_at: z.optional(z.string()),
});
export type BugItem = z.infer<typeof bugItem>;
/** What a bug item is made of: what has a default may be left out. */
export type BugInput = z.input<typeof bugItem>;

/** A pointer to a bug, from an alias or from what a catalogue says of it. */
export const bugPointerItem = z.object({ bug_id: z.int() });

/** One field's part of a change; values as texts, lists joined by `, `. */
export const fieldChange = z.object({
  /** the name that the interface uses */
  field_name: z.string(),
  removed: z.string(),
  added: z.string(),
  /** of an attachment that the field belongs to */
  attachment_id: z.optional(z.int()),
});
export type FieldChange = z.infer<typeof fieldChange>;

/** The field of histories that says that a comment became private, or public. */
export const COMMENT_PRIVACY = 'longdescs.isprivate';

/** One update of a bug: who changed what, and when. */
export const historyItem = z.object({
  bug_id: z.int(),
  /** `YYYY-MM-DDThh:mm:ssZ` */
  when: z.string(),
  /** login */
  who: z.string(),
  changes: z.array(fieldChange),
});
export type HistoryItem = z.infer<typeof historyItem>;

/** A keyword that bugs may have. */
export const keywordItem = z.object({ name: z.string(), description: z.string() });
export type KeywordItem = z.infer<typeof keywordItem>;
