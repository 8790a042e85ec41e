import { normalizeName } from '../../base/text.ts';
import { parseTime } from '../../base/time.ts';
import type { ChangeRecord } from '../changes.ts';
import { kindOf, type StoredValue } from '../fields/kinds.ts';
import { type BugFields, type HistoryField, storedValue } from '../fields/registry.ts';
import { FLAGS } from '../flags/schema.ts';
import { type BugItem, COMMENT_PRIVACY, type FieldChange } from '../schema.ts';

/** A change of a bug in the past, as its history has it. */
export interface PastChange {
  /** `YYYY-MM-DDThh:mm:ssZ` */
  when: string;
  /** login */
  who: string;
  changes: readonly FieldChange[];
  /** elements of lists as data; undefined: 1.2 made the change without events, and it is not taken back */
  record: Pick<ChangeRecord, 'removed' | 'added'> | undefined;
  /** of the bug and of its attachments */
  flags: ChangeRecord['flags'];
}

/** What is not taken back. */
export interface LeftField {
  /** its name in the interface */
  field: string;
  why: string;
}

/** What a list gets back, and loses. */
export interface ListReturn {
  add: string[];
  remove: string[];
}

/** What fields had before somebody changed them, by their names in the interface, as texts. */
export interface PastValues {
  values: Map<string, string>;
  /** of products and components, which may have another name now; absent: the history has the name only */
  ids: Map<string, number>;
  lists: Map<string, ListReturn>;
  left: LeftField[];
}

export const CHANGED_AGAIN = 'changed again since';
/** Fields whose values follow from each other: all of them are taken back, or none. */
const UNITS = [
  ['status', 'resolution', 'is_confirmed'],
  ['product', 'component', 'version', 'target_milestone'],
];
const NOT_TAKEN_BACK: ReadonlyMap<string, string> = new Map([
  [COMMENT_PRIVACY, 'the privacy of comments is not taken back'],
  ['work_time', 'hours that came with comments are not taken back'],
]);
/** It follows from the product. */
const FOLLOWS = 'classification';

/** Tells the changes of somebody. */
export const changesOf =
  (login: string) =>
  ({ who }: PastChange): boolean =>
    normalizeName(who) === normalizeName(login);

/**
 * What a bug had before somebody changed it. A field that others changed again since is left as it is, as is an element of a list.
 * What has the value of before already is not named.
 *
 * Flags are apart: see past-flags.ts.
 *
 * @param changes oldest first, those of others, too
 * @param texts the present value of a field as histories have it
 */
export function pastValues(
  bug: BugItem,
  changes: readonly PastChange[],
  login: string,
  fields: BugFields,
  texts: (field: HistoryField) => string,
): PastValues {
  const past: PastValues = { values: new Map(), ids: new Map(), lists: new Map(), left: [] };
  const isTheirs = changesOf(login);
  const unrecorded = new Set<string>();
  for (const { when, record, changes: fieldsOf } of changes.filter(isTheirs)) {
    if (record !== undefined) continue;
    for (const { field_name: field } of fieldsOf) {
      past.left.push({ field, why: `its change of ${when} has no record` });
      unrecorded.add(field);
    }
  }
  const own = changes.filter(isTheirs).flatMap((change) => change.changes);
  if (own.some(({ attachment_id }) => attachment_id !== undefined)) {
    past.left.push({ field: 'attachments', why: 'changes of attachments are not taken back' });
  }
  const names = own.filter(({ attachment_id }) => attachment_id === undefined).map((one) => one.field_name);
  for (const name of new Set(names)) {
    const field = fields.inHistory.find(({ rest }) => rest === name);
    const why = NOT_TAKEN_BACK.get(name);
    if (name === FOLLOWS || name === FLAGS || unrecorded.has(name)) continue;
    if (field === undefined || why !== undefined) {
      past.left.push({ field: name, why: why ?? 'there is no such field any more' });
    } else if (Array.isArray(kindOf(field).empty)) {
      const steps = stepsOf(changes, name);
      if (steps === undefined) past.left.push({ field: name, why: 'a change of others since has no record' });
      else listBefore(past, elementsOf(storedValue(bug, field)), field, steps, isTheirs);
    } else scalarBefore(past, texts(field), field, changes, isTheirs);
  }
  for (const unit of UNITS) keepTogether(past, unit);
  return past;
}

/** The last changes of something by somebody, in a row; and whether others changed it after these. */
export function lastRun<T extends { by: PastChange }>(
  steps: readonly T[],
  isTheirs: (change: PastChange) => boolean,
) {
  const end = steps.findLastIndex(({ by }) => isTheirs(by));
  const start = steps.slice(0, end + 1).findLastIndex(({ by }) => !isTheirs(by)) + 1;
  const run = steps.slice(start, end + 1);
  return { run, first: run[0], last: run.at(-1), isLast: end === steps.length - 1 };
}

function scalarBefore(
  past: PastValues,
  current: string,
  field: HistoryField,
  changes: readonly PastChange[],
  isTheirs: (change: PastChange) => boolean,
): void {
  const steps = changes.flatMap((by) =>
    by.changes
      .filter(({ field_name, attachment_id }) => field_name === field.rest && attachment_id === undefined)
      .map(({ removed, added }) => ({ by, removed, added })),
  );
  const { first, last, isLast } = lastRun(steps, isTheirs);
  if (first === undefined || last === undefined || isSameValue(field, current, first.removed)) return;
  if (!isLast || !isSameValue(field, current, last.added)) {
    past.left.push({ field: field.rest, why: CHANGED_AGAIN });
    return;
  }
  past.values.set(field.rest, first.removed);
  const [id] = first.by.record?.removed[field.rest] ?? [];
  if (typeof id === 'number') past.ids.set(field.rest, id);
}

/** An element that came or went. */
interface Step {
  by: PastChange;
  element: string;
  isAdded: boolean;
}

/** The elements of a list that came and went; undefined: a change of it has no record. */
function stepsOf(changes: readonly PastChange[], name: string): Step[] | undefined {
  const ofList = changes.filter((by) =>
    by.changes.some(({ field_name, attachment_id }) => field_name === name && attachment_id === undefined),
  );
  if (ofList.some(({ record }) => record === undefined)) return undefined;
  return ofList.flatMap((by): Step[] => [
    ...(by.record?.removed[name] ?? []).map((one) => ({ by, element: String(one), isAdded: false })),
    ...(by.record?.added[name] ?? []).map((one) => ({ by, element: String(one), isAdded: true })),
  ]);
}

function listBefore(
  past: PastValues,
  current: readonly string[],
  field: HistoryField,
  steps: readonly Step[],
  isTheirs: (change: PastChange) => boolean,
): void {
  const back: ListReturn = { add: [], remove: [] };
  for (const [element, own] of Map.groupBy(steps, (step) => step.element)) {
    const { first, isLast } = lastRun(own, isTheirs);
    if (first === undefined || current.includes(element) !== first.isAdded) continue;
    if (!isLast) past.left.push({ field: field.rest, why: `'${element}' was ${CHANGED_AGAIN}` });
    else (first.isAdded ? back.remove : back.add).push(element);
  }
  if (back.add.length + back.remove.length > 0) past.lists.set(field.rest, back);
}

const elementsOf = (value: StoredValue): string[] => [value ?? []].flat().map(String);

function keepTogether({ values, left }: PastValues, unit: readonly string[]): void {
  if (!left.some(({ field }) => unit.includes(field))) return;
  for (const field of unit) {
    if (values.delete(field)) left.push({ field, why: `it belongs to what was ${CHANGED_AGAIN}` });
  }
}

/** Whether two texts of histories are one value: hours and times are written in several ways. */
function isSameValue(field: HistoryField, a: string, b: string): boolean {
  if (a === b) return true;
  const { shape } = kindOf(field);
  if (a === '' || b === '') return false;
  if (shape === 'hours') return Number(a) === Number(b);
  return shape === 'time' && parseTime(a) !== undefined && parseTime(a) === parseTime(b);
}

/** The stored value of a field by its text in a history; undefined: the text does not give it. */
export function valueOfText(field: HistoryField, text: string): StoredValue | undefined {
  const { shape, empty, historyText } = kindOf(field);
  if (text === '') return empty;
  const value = parsed(shape, text);
  return value !== undefined && historyText(value) === text ? value : undefined;
}

function parsed(
  shape: ReturnType<typeof kindOf>['shape'],
  text: string,
): NonNullable<StoredValue> | undefined {
  if (shape === 'boolean') return text === '1';
  if (['hours', 'integer', 'bug', 'id'].includes(shape)) return Number(text);
  return shape === 'time' ? parseTime(text) : text;
}
