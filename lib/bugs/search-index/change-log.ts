import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { changedKey, type Key } from '../../dynamodb/keys.ts';
import type { Action } from '../../dynamodb/write.ts';
import { bytes } from '../../text.ts';
import { SHOWN_FIELDS } from '../fields/field-rows.ts';
import type { BugItem } from '../schema.ts';
import type { LoggedChange } from '../store/logged-change.ts';
import { ATTRIBUTES, changeCount, defaultOf, type IndexedBug, indexedBug } from './indexed-bug.ts';

/** How long superseded entries stay: longer than any search runs. */
const SUPERSEDED_SECONDS = 24 * 60 * 60;
/** With its key and the other attributes, an entry is one KB: a transaction takes two write units for it. */
const MAX_FIELDS_BYTES = 850;

/**
 * An entry of the change log: a bug as it is since it was written at the time that the key has. Only the stream of the table
 * is read for its attribute `events`, a LoggedChange as JSON.
 */
export const changeItem = z.object({
  /** as in IndexedBug; absent: an earlier version wrote the entry */
  change_count: z.optional(z.int()),
  /** the values that are not the default, by code: a JSON object; absent: superseded, or too long, so the bug has to be read */
  fields: z.optional(z.string()),
  /** seconds since 1970: the entry is superseded */
  expires_at: z.optional(z.int()),
});
export type ChangeItem = z.infer<typeof changeItem>;

/** An entry, and where it is. */
interface ChangeEntry {
  key: Key;
  content: ChangeItem;
}

/** The fields' ids in Bugzilla, which are short and do not change. */
const CODES: ReadonlyMap<string, string> = new Map(
  SHOWN_FIELDS.flatMap(({ id, stored }) =>
    id === undefined || stored === undefined ? [] : [[stored[0], String(id)] as const],
  ),
);
const codeOf = (attribute: string): string => CODES.get(attribute) ?? attribute;
const ATTRIBUTES_BY_CODE = new Map(ATTRIBUTES.map((attribute) => [codeOf(attribute), attribute]));

/** What the entry has beside its fields. */
const NOT_IN_FIELDS: ReadonlySet<keyof IndexedBug> = new Set(['id', 'change_count']);

/** The fields of a bug as text; undefined: it is too long. */
function fieldsText(bug: BugItem): string | undefined {
  const byName = Object.entries(bug.custom).sort(([a], [b]) => (a < b ? -1 : 1));
  const values = {
    ...bug,
    custom: Object.fromEntries(byName),
    flag_count: bug.flags.length,
    change_count: 0,
  };
  const parts = ATTRIBUTES.flatMap((attribute) => {
    const value = values[attribute];
    const isLeftOut = NOT_IN_FIELDS.has(attribute) || isDeepStrictEqual(value, defaultOf(attribute));
    return isLeftOut ? [] : [`${JSON.stringify(codeOf(attribute))}:${JSON.stringify(value)}`];
  });
  const text = `{${parts.join()}}`;
  return bytes(text) > MAX_FIELDS_BYTES ? undefined : text;
}

/** When the last change of a bug was written: the time under which the change log has it. */
const loggedAt = ({ logged_at, last_change_time }: BugItem): string => logged_at ?? last_change_time;

/**
 * A bug with the time of writing, under which the change log will have it, where that is not the time of its last change.
 *
 * @param now `YYYY-MM-DDThh:mm:ssZ`
 */
export function withLogTime({ logged_at, ...bug }: BugItem, now: string): BugItem {
  return bug.last_change_time === now ? bug : { ...bug, logged_at: now };
}

/** The entry of a bug in the change log. */
export function changeEntry(bug: BugItem): ChangeEntry {
  const fields = fieldsText(bug);
  const content = { change_count: changeCount(bug), ...(fields === undefined ? {} : { fields }) };
  return { key: changedKey(bug.id, loggedAt(bug)), content };
}

/** A logged change as the entry at a key has it: without a time that the key has already. */
function eventsText({ time, ...change }: LoggedChange, { sk }: Key): string {
  return JSON.stringify(time === undefined || sk.startsWith(time) ? change : { ...change, time });
}

/** The most actions of a change in the change log. */
export const LOG_ACTIONS = 2;

/**
 * The transaction actions that log a change. The entry of the change before is not removed: a query that runs meanwhile
 * may not see the new entry yet. It expires, and until then readers look at the bug.
 *
 * @param before as it was read; undefined: the bug is new
 * @param after with its log time
 * @param change undefined: it becomes no events
 */
export function logActions(
  before: BugItem | undefined,
  after: BugItem,
  change: LoggedChange | undefined,
): Action[] {
  const { key, content } = changeEntry(after);
  const events = change === undefined ? {} : { events: eventsText(change, key) };
  const put: Action = { put: { ...key, ...content, ...events } };
  const former = before === undefined ? undefined : changedKey(before.id, loggedAt(before));
  if (former === undefined || former.sk === key.sk) return [put];
  const expires_at = Math.floor(Date.parse(loggedAt(after)) / 1_000) + SUPERSEDED_SECONDS;
  return [put, { put: { ...former, change_count: content.change_count, expires_at } }];
}

/** The bug of an entry; undefined: it has to be read. */
export function bugOfChange(id: number, { change_count, fields }: ChangeItem): IndexedBug | undefined {
  if (change_count === undefined || fields === undefined) return undefined;
  const given = z.record(z.string(), z.unknown()).parse(JSON.parse(fields));
  const bug: Record<string, unknown> = { id, change_count };
  for (const code in given) bug[ATTRIBUTES_BY_CODE.get(code) ?? code] = given[code];
  return indexedBug.parse(bug);
}
