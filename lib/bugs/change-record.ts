import * as z from 'zod/mini';
import { sizeOf } from '../dynamodb/item-size.ts';
import { type RecordedFlag, recordedFlag } from '../flags/schema.ts';
import { normalizeName } from '../text.ts';
import { kindOf, type StoredValue } from './fields/kinds.ts';
import { type BugFields, storedValue } from './fields/registry.ts';
import type { BugItem, FieldChange } from './schema.ts';

const element = z.union([z.string(), z.number()]);
type Element = z.infer<typeof element>;

/** Elements of values by the names that fields have in histories; a value that is no list is its only element. */
const values = z.record(z.string(), z.array(element));
type Values = z.infer<typeof values>;

/**
 * What a change did to a bug, as data: what the texts of its history, which are made for people, do not give back. The other values
 * stand in these texts as they are.
 */
export interface ChangeRecord {
  /** of lists what they lost; of people the login, of products and components the id */
  removed: Values;
  added: Values;
  /** of the bug and of its attachments */
  flags: RecordedFlag[];
  /** comments whose privacy changed, by their counts; unknown where 1.1 has not recorded it */
  privacy: { count?: number | undefined; isPrivate: boolean }[];
}

/** The attributes of the first history entry of a change that have its record, where the table has a stream. */
export const recordAttributes = z.object({
  record: z.optional(
    z.object({
      removed: z._default(values, {}),
      added: z._default(values, {}),
      privacy: z._default(z.array(z.object({ count: z.int(), isPrivate: z.boolean() })), []),
    }),
  ),
  /** beside the record, because 1.1 reads them here; those that it wrote have no names */
  flag_changes: z._default(z.array(recordedFlag), []),
  /** for 1.1: the counts of the comments whose privacy changed, in the order of the changes */
  comment_counts: z._default(z.array(z.int()), []),
});

/** Of the values in an entry, whose texts take up to 300 KB of the 400 KB of an item. */
const MAX_VALUES_BYTES = 64_000;
/** What decides who sees a change and hears of it is never left out: a request changes at most a hundred of each. */
const DECISIVE: ReadonlySet<string> = new Set(['groups', 'cc', 'assigned_to', 'qa_contact', 'product']);

/** A record as the first history entry of its change has it. */
export function attributesOf({ removed, added, privacy, flags }: ChangeRecord): object {
  const isLong = sizeOf(removed) + sizeOf(added) > MAX_VALUES_BYTES;
  const kept = (all: Values): Values =>
    isLong ? Object.fromEntries(Object.entries(all).filter(([name]) => DECISIVE.has(name))) : all;
  return {
    record: filled({ removed: kept(removed), added: kept(added), privacy }),
    ...filled({ flag_changes: flags, comment_counts: privacy.map(({ count }) => count) }),
  };
}

/** The parts that have elements. */
const filled = (parts: Readonly<Record<string, object>>): object =>
  Object.fromEntries(Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0));

/**
 * The values that a change removed and added, of the fields whose texts do not give them back: lists, people, and what is stored by id.
 *
 * @param changes the fields that differ, as histories have them
 */
export function recordedValues(
  before: BugItem,
  after: BugItem,
  changes: readonly FieldChange[],
  fields: BugFields,
): Pick<ChangeRecord, 'removed' | 'added'> {
  const removed: Values = {};
  const added: Values = {};
  for (const { field_name } of changes) {
    const field = fields.shownAs(field_name);
    if (field === undefined) continue;
    const [old, now] = [storedValue(before, field), storedValue(after, field)];
    const isNamed = field.derived === 'place' || kindOf(field).comparison === 'person';
    if (!isNamed && !Array.isArray(old)) continue;
    const [was, is] = [elementsOf(old), elementsOf(now)];
    const [lost, gained] = [without(was, is), without(is, was)];
    if (lost.length > 0) removed[field_name] = lost;
    if (gained.length > 0) added[field_name] = gained;
  }
  return { removed, added };
}

const elementsOf = (value: StoredValue): Element[] =>
  [value ?? []].flat().filter((one): one is Element => typeof one !== 'boolean' && one !== '');

function without(some: readonly Element[], others: readonly Element[]): Element[] {
  const known = new Set(others);
  return some.filter((one) => !known.has(one));
}

/**
 * Takes changes back from a bug, as far as its groups and people are concerned.
 *
 * @param changes the last ones, oldest first
 */
export function undo(bug: BugItem, changes: readonly ChangeRecord[]): BugItem {
  const list = (name: 'groups' | 'cc'): string[] => {
    const names = new Map(bug[name].map((one) => [normalizeName(one), one]));
    for (const { removed, added } of changes.toReversed()) {
      for (const one of added[name] ?? []) names.delete(normalizeName(String(one)));
      for (const one of removed[name] ?? []) names.set(normalizeName(String(one)), String(one));
    }
    return [...names.values()];
  };
  const person = (name: 'assigned_to' | 'qa_contact'): string => {
    const first = changes.find(({ removed, added }) => name in removed || name in added);
    return first === undefined ? bug[name] : String(first.removed[name]?.[0] ?? '');
  };
  return {
    ...{ ...bug, groups: list('groups'), cc: list('cc') },
    ...{ assigned_to: person('assigned_to'), qa_contact: person('qa_contact') },
  };
}
