import * as z from 'zod/mini';

const texts = z._default(z.array(z.string()), []);
const ids = z._default(z.array(z.int()), []);
const text = (fallback: string) => z._default(z.string(), fallback);

/**
 * A bug as stored. What has a default was added later: items written before read it.
 * Lists are sorted, texts by folded name, numbers by value.
 */
export const bugItem = z.pipe(
  z.object({
    id: z.int(),
    aliases: z.array(z.string()),
    product_id: z.int(),
    component_id: z.int(),
    version: z.string(),
    target_milestone: text('---'),
    summary: z.string(),
    status: z.string(),
    /** '' while the bug is open */
    resolution: text(''),
    dupe_of: z._default(z.nullable(z.int()), null),
    /** whether it was ever confirmed; absent: follows from the status */
    is_confirmed: z.optional(z.boolean()),
    priority: text('---'),
    severity: text('enhancement'),
    platform: text('All'),
    op_sys: text('All'),
    reporter: z.string(),
    assigned_to: z.string(),
    qa_contact: z.string(),
    cc: z.array(z.string()),
    /** names of the groups that one must be in to see it */
    groups: z.array(z.string()),
    keywords: texts,
    whiteboard: text(''),
    url: text(''),
    see_also: texts,
    blocks: ids,
    depends_on: ids,
    /** `YYYY-MM-DD` */
    deadline: z._default(z.nullable(z.string()), null),
    /** hours */
    estimated_time: z._default(z.number(), 0),
    remaining_time: z._default(z.number(), 0),
    hours_worked: z.number(),
    is_creator_accessible: z._default(z.boolean(), true),
    is_cc_accessible: z._default(z.boolean(), true),
    creation_time: z.string(),
    last_change_time: z.string(),
    /** how many comments it has; the next one's count */
    comment_count: z.int(),
    /** of the newest comment; the next one's is not before it */
    last_comment_time: z.string(),
    /** counts the changes of its fields, so that none is made over another; comments do not count */
    revision: z._default(z.int(), 0),
  }),
  z.transform(({ is_confirmed, ...bug }) => ({
    ...bug,
    is_confirmed: is_confirmed ?? bug.status !== 'UNCONFIRMED',
  })),
);
export type BugItem = z.infer<typeof bugItem>;
/** What a bug item is made of: what has a default may be left out. */
export type BugFields = z.input<typeof bugItem>;

/** A pointer to a bug, from an alias or from what a catalogue says of it. */
export const bugPointerItem = z.object({ bug_id: z.int() });

/** One field's part of a change; values as texts, lists joined by `, `. */
export const fieldChange = z.object({
  /** the name that the interface uses */
  field_name: z.string(),
  removed: z.string(),
  added: z.string(),
});
export type FieldChange = z.infer<typeof fieldChange>;

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
