import { sizeOf } from '../table/item-size.ts';
import { kindOf, type StoredValue } from './fields/kinds.ts';
import { type BugFields, storedValue } from './fields/registry.ts';
import type { RecordedFlag } from './flags/schema.ts';
import type { BugItem, FieldChange } from './schema.ts';

/** Elements of values by the names that fields have in histories; a value that is no list is its only element. */
type Values = Record<string, (string | number)[]>;

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

/** Of the values in an entry, whose texts take up to 300 KB of the 400 KB of an item. */
const MAX_VALUES_BYTES = 64_000;
/** What decides who sees a change and hears of it is never left out: a request changes at most a hundred of each. */
const DECISIVE: ReadonlySet<string> = new Set(['groups', 'cc', 'assigned_to', 'qa_contact', 'product']);

/**
 * A record as the first history entry of its change has it: lib/changes/events/read-records.ts has the schema. Flags are beside
 * the record, and the counts of comments once more, because 1.1 reads them there.
 */
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

const elementsOf = (value: StoredValue): (string | number)[] =>
  [value ?? []].flat().flatMap((one) => (typeof one === 'boolean' || one === '' ? [] : [one]));

function without<T>(some: readonly T[], others: readonly T[]): T[] {
  const known = new Set(others);
  return some.filter((one) => !known.has(one));
}
