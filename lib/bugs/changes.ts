import { bit, type Difference } from '../base/collections.ts';
import { compareNames } from '../base/text.ts';
import type { BugPlace } from '../products/place.ts';
import type { ReadProduct } from '../products/repository.ts';
import { sizeOf } from '../table/consumption.ts';
import type { AttachmentItem } from './attachments/schema.ts';
import type { CommentContent } from './comments/schema.ts';
import { kindOf, type StoredValue } from './fields/kinds.ts';
import { audienceOf, type BugFields, builtInRegistry, storedValue } from './fields/registry.ts';
import type { RecordedFlag } from './flags/schema.ts';
import type { CustomGiven } from './requests.ts';
import { type BugItem, COMMENT_PRIVACY, type FieldChange } from './schema.ts';
import type { ReadSettings } from './values.ts';

/** What a request does to a bug. */
export interface BugChange {
  /** as it was read; undefined: it is new */
  before: BugItem | undefined;
  /** without what follows from the time of writing and from comments */
  after: BugItem;
  /** as the groups of the bug follow from it; undefined: the bug keeps its product and groups */
  product: ReadProduct | undefined;
  /** the settings as its values follow from them */
  settings: ReadSettings;
  /** what differs between the two */
  changes: FieldChange[];
  /** what its history says to people, and as data */
  history: FieldChange[];
  record: ChangeRecord;
  /** those that it adds; id 0: to be allocated */
  comments: (CommentContent & { id: number })[];
  /** those that it creates, where there is none before, and changes; `''` instead of a time: that of writing */
  attachments: { before: AttachmentItem | undefined; after: AttachmentItem }[];
  /** comments whose privacy changes */
  privacy: { count: number; isPrivate: boolean; key: { pk: string; sk: string } }[];
}

/** A change of a bug that keeps its product, and to which no setting matters. @param parts what it has of further parts */
export const plainChange = (
  before: BugItem,
  after: BugItem,
  parts: Partial<Omit<BugChange, 'record'>> & { record?: Partial<ChangeRecord> },
): BugChange => ({
  ...{ before, after, product: undefined, settings: { stored: {}, lists: [] } },
  ...{ changes: [], history: [], comments: [], attachments: [], privacy: [] },
  ...parts,
  record: { removed: {}, added: {}, flags: [], privacy: [], ...parts.record },
});

/** What differs between a bug before and after a change. */
interface Differences extends Pick<ChangeRecord, 'removed' | 'added'> {
  /** field by field, in the order of their names; of lists the elements that differ */
  changes: FieldChange[];
}

/**
 * What differs between a bug before and after a change: as texts, and as data where these do not give it back, so of lists, people, and
 * what is stored by id.
 *
 * @param places where the bug was, and where it is then
 * @param given custom fields as a request has them: so their times are told
 */
export function fieldChanges(
  before: BugItem,
  after: BugItem,
  places: { before: BugPlace; after: BugPlace },
  { inHistory }: BugFields,
  given: ReadonlyMap<string, CustomGiven> = new Map(),
): Differences {
  const found: Differences = { changes: [], removed: {}, added: {} };
  if (before === after) return found;
  for (const field of inHistory) {
    const { rest, derived } = field;
    const { historyAsGiven, historyText, comparison, parse } = kindOf(field);
    const [old, now] = [storedValue(before, field), storedValue(after, field)];
    const [was, is] = [elementsOf(old), elementsOf(now)];
    const [lost, gained] = [without(was, is), without(is, was)];
    const told = (value: StoredValue, place: BugPlace, elements: Elements): string => {
      if (derived === 'place') return place[rest] ?? '';
      if (value === null) return '';
      return typeof value === 'object' ? elements.join(', ') : historyText(value);
    };
    const removed = told(old, places.before, lost.toSorted(compareElements));
    const added = told(now, places.after, historyAsGiven ? gained : gained.toSorted(compareElements));
    // A component of the same name in another product is another one.
    const isOther = field.values === 'component' && before.component_id !== after.component_id;
    if (removed === added && !isOther) continue;
    const sent = historyAsGiven && parse !== undefined ? given.get(rest) : undefined;
    const asSent = typeof sent === 'string' ? sent.trim() : added;
    found.changes.push({ field_name: rest, removed, added: asSent });
    if (derived !== 'place' && comparison !== 'person' && !Array.isArray(old)) continue;
    if (lost.length > 0) found.removed[rest] = lost;
    if (gained.length > 0) found.added[rest] = gained;
  }
  return found;
}

type Elements = (string | number)[];

/** A value as elements: one that is no list is its only element. */
const elementsOf = (value: StoredValue): Elements =>
  [value ?? []].flat().flatMap((one) => (typeof one === 'boolean' || one === '' ? [] : [one]));

function without<T>(some: readonly T[], others: readonly T[]): T[] {
  const known = new Set(others);
  return some.filter((one) => !known.has(one));
}

function compareElements(a: string | number, b: string | number): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : compareNames(String(a), String(b));
}

/**
 * The changes in the response of an update. Hours: `removed` is the stored format (two places), `added` the given
 * number.
 */
export function responseChanges(
  changes: readonly FieldChange[],
  isTimeTracker: boolean,
): Record<string, Difference> {
  return Object.fromEntries(
    changes.flatMap(({ field_name, removed, added }) => {
      if (audienceOf(field_name, builtInRegistry) !== 'timetrackers')
        return [[field_name, { removed, added }]];
      return isTimeTracker ? [[field_name, { removed, added: givenHours({ added }).added }]] : [];
    }),
  );
}

/**
 * The changes that the history records: without fields that only responses show, with hours worked and comment privacy.
 */
export function historyChanges(
  changes: readonly FieldChange[],
  comments: readonly Pick<CommentContent, 'work_time'>[],
  privacy: BugChange['privacy'],
  fields: BugFields,
): FieldChange[] {
  return [
    ...changes
      .filter(({ field_name }) => fields.shownAs(field_name)?.changes !== 'response')
      .map((change) =>
        audienceOf(change.field_name, fields) === 'timetrackers' ? givenHours(change) : change,
      ),
    ...comments.filter(({ work_time }) => work_time !== 0).map(({ work_time }) => workTimeChange(work_time)),
    ...privacy.map(({ isPrivate }) => ({
      field_name: COMMENT_PRIVACY,
      removed: bit(!isPrivate),
      added: bit(isPrivate),
    })),
  ];
}

/** Hours in the format of the history. */
export const hoursText = (hours: number): string => hours.toFixed(2);

/** A change of hours as Bugzilla shows it: those before as they are stored, the new ones as they were given. */
const givenHours = <T extends { added: string }>(change: T): T => ({
  ...change,
  added: String(Number(change.added)),
});

/** What the history records of hours that came with a comment: as they are stored. */
export const workTimeChange = (hours: number): FieldChange => ({
  ...{ field_name: 'work_time', removed: '', added: hoursText(hours) },
});

/** Elements of values by the names that fields have in histories; a value that is no list is its only element. */
type Values = Record<string, Elements>;

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
  /** comments whose privacy changed, by their counts */
  privacy: { count: number; isPrivate: boolean }[];
}

/** Of the values in an entry, whose texts take up to 300 KB of the 400 KB of an item. */
const MAX_VALUES_BYTES = 64_000;
/** What decides who sees a change and hears of it is never left out: a request changes at most a hundred of each. */
const DECISIVE: ReadonlySet<string> = new Set(['groups', 'cc', 'assigned_to', 'qa_contact', 'product']);

/**
 * A record as the first history entry of its change has it: lib/changes/events/change.ts has the schema. Flags are beside
 * the record, where 1.2 reads them.
 */
export function attributesOf({ removed, added, privacy, flags }: ChangeRecord): object {
  const isLong = sizeOf(removed) + sizeOf(added) > MAX_VALUES_BYTES;
  const kept = (all: Values): Values =>
    isLong ? Object.fromEntries(Object.entries(all).filter(([name]) => DECISIVE.has(name))) : all;
  return {
    record: filled({ removed: kept(removed), added: kept(added), privacy }),
    ...filled({ flag_changes: flags }),
  };
}

/** The parts that have elements. */
const filled = (parts: Readonly<Record<string, object>>): object =>
  Object.fromEntries(Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0));
