import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { bytes } from '../../base/text.ts';
import { currentRequestId, readUnits, sizeOf } from '../../table/consumption.ts';
import { changedKey, type Key } from '../../table/keys.ts';
import type { Action } from '../../table/write.ts';
import { SHOWN_FIELDS } from '../fields/field-rows.ts';
import type { BugItem } from '../schema.ts';
import {
  ATTRIBUTES,
  changeCount,
  DEFAULTS,
  EMPTY,
  type IndexedAttribute,
  type IndexedBug,
  indexedBug,
} from './indexed-bug.ts';
import type { LoggedChange } from './logged-change.ts';

/** How long superseded entries stay: longer than any search runs. */
const SUPERSEDED_SECONDS = 24 * 60 * 60;
/** With its key and the other attributes, an entry is one KB: a transaction takes two write units for each. */
const MAX_FIELDS_BYTES = 850;
/** Where what is never left out is longer, such as many people on CC, an entry takes up to four write units. */
const UNIT_BYTES = 1_024;
const MAX_LONG_BYTES = MAX_FIELDS_BYTES + 3 * UNIT_BYTES;
/** Shorter values are not left out. */
const MIN_OMITTED_BYTES = 60;

/**
 * An entry of the change log: a bug as it is since it was written at the time that the key has. Only the stream of the table
 * is read for its attribute `events`, a LoggedChange as JSON.
 */
export const changeLogItem = z.object({
  /** as in IndexedBug; absent: an earlier version wrote the entry */
  change_count: z.optional(z.int()),
  /** the values that are not the default, by code: a JSON object; absent: superseded, or too long */
  fields: z.optional(z.string()),
  /**
   * The same without long values, whose codes and names are in `omitted`: who does not know it reads the bug.
   */
  shortened: z.optional(z.string()),
  /** read units that the bug takes; absent: one, or unknown */
  units: z.optional(z.int()),
  /** seconds since 1970: the entry is superseded */
  expires_at: z.optional(z.int()),
});
export type ChangeLogItem = z.infer<typeof changeLogItem>;

/** The fields' ids in Bugzilla, which are short and do not change. */
const CODES: ReadonlyMap<string, string> = new Map(
  SHOWN_FIELDS.flatMap(({ id, stored }) =>
    id === undefined || stored === undefined ? [] : [[stored[0], String(id)] as const],
  ),
);
const codeOf = (attribute: string): string => CODES.get(attribute) ?? attribute;
const ATTRIBUTES_BY_CODE = new Map(ATTRIBUTES.map((attribute) => [codeOf(attribute), attribute]));

const OMITTABLE_CODES: ReadonlySet<string> = new Set([...EMPTY.keys()].map(codeOf));

const entryText = z.catchall(z.object({ omitted: z.optional(z.array(z.string())) }), z.unknown());

/** What the entry has beside its fields. */
const NOT_IN_FIELDS: ReadonlySet<IndexedAttribute> = new Set(['id', 'change_count']);

/** A value in an entry: the code of an attribute, or the name of a custom field, with the value as JSON. */
type EntryValue = readonly [code: string, value: string];

const objectOf = (values: readonly EntryValue[]): string =>
  `{${values.map(([code, value]) => `${JSON.stringify(code)}:${value}`).join()}}`;

/** The values of a bug that are not the default. */
function valuesOf(bug: BugItem): EntryValue[] {
  const values = {
    ...bug,
    custom: Object.fromEntries(customOf(bug)),
    flag_count: bug.flags.length,
    change_count: 0,
  };
  return ATTRIBUTES.flatMap((attribute) => {
    const value = values[attribute];
    const isLeftOut = NOT_IN_FIELDS.has(attribute) || isDeepStrictEqual(value, DEFAULTS.get(attribute));
    return isLeftOut ? [] : [[codeOf(attribute), JSON.stringify(value)] as const];
  });
}

const customOf = ({ custom }: BugItem) => Object.entries(custom).sort(([a], [b]) => (a < b ? -1 : 1));

/** The values of a bug as an entry has them: all, or without the longest; none where those that are never left out are too long. */
function contentOf(bug: BugItem): Pick<ChangeLogItem, 'fields' | 'shortened'> {
  const values = valuesOf(bug);
  const fields = objectOf(values);
  if (bytes(fields) <= MAX_FIELDS_BYTES) return { fields };
  const builtIn = values.filter(([code]) => code !== 'custom');
  const custom = customOf(bug).map(([name, value]): EntryValue => [name, JSON.stringify(value)]);
  const longest = [...builtIn.filter(([code]) => OMITTABLE_CODES.has(code)), ...custom]
    .map((value) => ({ value, size: bytes(value[1]) }))
    .filter(({ size }) => size >= MIN_OMITTED_BYTES)
    .sort((a, b) => b.size - a.size)
    .map(({ value }) => value);
  const without = (count: number): string => {
    const omitted = new Set(longest.slice(0, count));
    const isKept = (value: EntryValue) => !omitted.has(value);
    return objectOf([
      ...builtIn.filter(isKept),
      ['custom', objectOf(custom.filter(isKept))],
      ['omitted', JSON.stringify([...omitted].map(([code]) => code))],
    ]);
  };
  const shortest = without(longest.length);
  if (bytes(shortest) > MAX_LONG_BYTES) return {};
  const further = Math.ceil(Math.max(0, bytes(shortest) - MAX_FIELDS_BYTES) / UNIT_BYTES);
  const max = MAX_FIELDS_BYTES + further * UNIT_BYTES;
  let left = bytes(fields);
  for (const [index, [, value]] of longest.entries()) {
    left -= bytes(value);
    if (left > max) continue;
    const shortened = without(index + 1);
    if (bytes(shortened) <= max) return { shortened };
  }
  return { shortened: shortest };
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
export function changeEntry(bug: BugItem): { key: Key; content: ChangeLogItem } {
  const units = readUnits(sizeOf(bug));
  const content = {
    ...{ change_count: changeCount(bug), ...contentOf(bug) },
    ...(units === 1 ? {} : { units }),
  };
  return { key: changedKey(bug.id, loggedAt(bug)), content };
}

/** A logged change as the entry at a key has it: without a time that the key has already. */
function eventsText({ time, ...change }: LoggedChange, { sk }: Key): string {
  return JSON.stringify(sk.startsWith(time) ? change : { ...change, time });
}

/** An item may be so much smaller than it is counted here. */
const MAX_OVERHEAD_BYTES = 20;

/** An entry with its events: with the id of the request, where this takes no further write unit. */
function withEvents(
  entry: Key & ChangeLogItem,
  change: LoggedChange,
): Key & ChangeLogItem & { events: string } {
  const plain = { ...entry, events: eventsText(change, entry) };
  const request = currentRequestId();
  if (request === undefined) return plain;
  const named = { ...entry, events: eventsText({ ...change, request }, entry) };
  const units = Math.ceil((sizeOf(plain) - MAX_OVERHEAD_BYTES) / UNIT_BYTES);
  return sizeOf(named) > units * UNIT_BYTES ? plain : named;
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
  const entry = { ...key, ...content };
  const put: Action = { put: change === undefined ? entry : withEvents(entry, change) };
  const former = before === undefined ? undefined : changedKey(before.id, loggedAt(before));
  if (former === undefined || former.sk === key.sk) return [put];
  const expires_at = Math.floor(Date.parse(loggedAt(after)) / 1_000) + SUPERSEDED_SECONDS;
  return [put, { put: { ...former, change_count: content.change_count, expires_at } }];
}

/** The key of the entry that the log has of a bug: it is removed with the bug. */
export const removedFromLog = (bug: BugItem): Key => changedKey(bug.id, loggedAt(bug));

/** The bug of an entry, perhaps without long values; undefined: it has to be read. */
export function bugOfChange(id: number, entry: ChangeLogItem): IndexedBug | undefined {
  const { change_count, fields, shortened, units = 1 } = entry;
  const text = fields ?? shortened;
  if (change_count === undefined || text === undefined) return undefined;
  const { omitted = [], ...given } = entryText.parse(JSON.parse(text));
  const names = omitted.map((code) => ATTRIBUTES_BY_CODE.get(code) ?? code);
  const bug: Record<string, unknown> = { id, change_count };
  for (const code in given) bug[ATTRIBUTES_BY_CODE.get(code) ?? code] = given[code];
  for (const name of names) if (EMPTY.has(name)) bug[name] = EMPTY.get(name);
  const known = { ...indexedBug.parse(bug), units };
  return names.length === 0 ? known : { ...known, omitted: new Set(names) };
}
