import { isDeepStrictEqual } from 'node:util';
import { normalizeName } from '../../base/text.ts';
import { parseTime } from '../../base/time.ts';
import type { ChangeRecord } from '../changes.ts';
import { kindOf, type StoredValue } from '../fields/kinds.ts';
import { type BugFields, type HistoryField, storedValue } from '../fields/registry.ts';
import { FLAGS, type FlagItem, type FlagState } from '../flags/schema.ts';
import { type BugItem, COMMENT_PRIVACY, type FieldChange } from '../schema.ts';

/** A change of a bug in the past, as its history has it. */
export interface PastChange {
  /** `YYYY-MM-DDThh:mm:ssZ` */
  when: string;
  /** login */
  who: string;
  changes: readonly FieldChange[];
  /** its values as data; undefined: 1.2 made the change without events, and it is not taken back */
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
interface ListReturn {
  add: string[];
  remove: string[];
}

/** What fields had before somebody changed them, by their names in the interface. */
export interface PastValues {
  /** of products and components the id */
  values: Map<string, StoredValue>;
  lists: Map<string, ListReturn>;
  /** by the ids of types */
  flags: Map<number, { add: FlagState[]; remove: FlagState[] }>;
  left: LeftField[];
}

const CHANGED_AGAIN = 'changed again since';
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
 * What a bug had before somebody changed it. A field that others changed again since is left as it is, as is an element of a
 * list, and the flags of a type. What has the value of before already is not named.
 *
 * @param changes oldest first, those of others, too
 */
export function pastValues(
  bug: BugItem,
  changes: readonly PastChange[],
  login: string,
  fields: BugFields,
): PastValues {
  const past: PastValues = { values: new Map(), lists: new Map(), flags: new Map(), left: [] };
  const leave = (field: string, why: string) => past.left.push({ field, why });
  const isTheirs = changesOf(login);
  const own = changes.filter(isTheirs).flatMap((change) => change.changes);
  if (own.some(({ attachment_id }) => attachment_id !== undefined)) {
    leave('attachments', 'changes of attachments are not taken back');
  }
  const isOf = (name: string) => (one: FieldChange) =>
    one.field_name === name && one.attachment_id === undefined;
  const names = own.filter((one) => isOf(one.field_name)(one)).map((one) => one.field_name);
  for (const name of new Set(names)) {
    if (name === FOLLOWS || name === FLAGS) continue;
    const field = fields.inHistory.find(({ rest }) => rest === name);
    const ofField = changes.filter((by) => by.changes.some(isOf(name)));
    const unrecorded = ofField.find(({ record }) => record === undefined);
    if (unrecorded !== undefined) leave(name, `its change of ${unrecorded.when} has no record`);
    else if (field === undefined || NOT_TAKEN_BACK.has(name)) {
      leave(name, NOT_TAKEN_BACK.get(name) ?? 'there is no such field any more');
    } else if (Array.isArray(kindOf(field).empty)) {
      const current = [storedValue(bug, field) ?? []].flat().map(String);
      const { changedAgain, ...back } = elementsBefore(
        current,
        ofField.flatMap(elementSteps(name)),
        isTheirs,
      );
      for (const element of changedAgain) leave(name, `'${element}' was ${CHANGED_AGAIN}`);
      if (back.add.length + back.remove.length > 0) past.lists.set(name, back);
    } else {
      const steps = ofField.map((by) => {
        const change = by.changes.find(isOf(name));
        const { removed, added } = by.record ?? {};
        return {
          by,
          before: changedValue(field, change?.removed, removed),
          after: changedValue(field, change?.added, added),
        };
      });
      const before = valueBefore(steps, storedValue(bug, field), isTheirs);
      if (before === CHANGED_AGAIN) leave(name, CHANGED_AGAIN);
      else if (before !== undefined) past.values.set(name, before.value);
    }
  }
  for (const unit of UNITS) keepTogether(past, unit);
  flagsBefore(past, bug.flags, changes, isTheirs);
  return past;
}

/** What a change did to a part of a bug: to a field, or to an element of a list, which is there or not. */
interface Step<V> {
  by: PastChange;
  before: V;
  after: V;
}

/** Where the last changes of somebody in a row begin and end; the end is -1 without any. */
function lastRun(steps: readonly { by: PastChange }[], isTheirs: (change: PastChange) => boolean) {
  const end = steps.findLastIndex(({ by }) => isTheirs(by));
  return { start: steps.slice(0, end + 1).findLastIndex(({ by }) => !isTheirs(by)) + 1, end };
}

/** What a part had before the last changes of somebody in a row; undefined: it has that, or nobody of these changed it. */
function valueBefore<V>(
  steps: readonly Step<V>[],
  current: V,
  isTheirs: (change: PastChange) => boolean,
): { value: V } | typeof CHANGED_AGAIN | undefined {
  const { start, end } = lastRun(steps, isTheirs);
  const [first, last] = [steps[start], steps[end]];
  if (first === undefined || last === undefined || isDeepStrictEqual(current, first.before)) return undefined;
  const isLast = end === steps.length - 1 && isDeepStrictEqual(current, last.after);
  return isLast ? { value: first.before } : CHANGED_AGAIN;
}

interface ElementStep extends Step<boolean> {
  element: string;
}

const elementSteps =
  (name: string) =>
  (by: PastChange): ElementStep[] => [
    ...(by.record?.removed[name] ?? []).map((one) => elementStep(by, String(one), false)),
    ...(by.record?.added[name] ?? []).map((one) => elementStep(by, String(one), true)),
  ];

const elementStep = (by: PastChange, element: string, isAdded: boolean): ElementStep => ({
  ...{ by, element },
  ...{ before: !isAdded, after: isAdded },
});

/** The elements that a list gets back and loses, and those that others changed again. */
function elementsBefore(
  current: readonly string[],
  steps: readonly ElementStep[],
  isTheirs: (change: PastChange) => boolean,
): ListReturn & { changedAgain: string[] } {
  const back: ListReturn & { changedAgain: string[] } = { add: [], remove: [], changedAgain: [] };
  for (const [element, own] of Map.groupBy(steps, (step) => step.element)) {
    const before = valueBefore(own, current.includes(element), isTheirs);
    if (before === CHANGED_AGAIN) back.changedAgain.push(element);
    else if (before !== undefined) (before.value ? back.add : back.remove).push(element);
  }
  return back;
}

const flagState = ({ status, setter, requestee }: FlagState): string =>
  JSON.stringify([status, setter, requestee]);

function flagsBefore(
  past: PastValues,
  current: readonly FlagItem[],
  changes: readonly PastChange[],
  isTheirs: (change: PastChange) => boolean,
): void {
  const all = changes.flatMap((by) =>
    by.flags.filter(({ attachment_id }) => attachment_id === undefined).map((flag) => ({ by, flag })),
  );
  for (const [type, own] of Map.groupBy(all, ({ flag }) => flag.type_id)) {
    const { start, end } = lastRun(own, isTheirs);
    const since = end === -1 ? [] : own.slice(start).map(({ flag }) => flag);
    const before = since.flatMap((one) => one.before ?? []);
    const after = since.flatMap((one) => one.after ?? []);
    const [add, remove] = [without(before, after), without(after, before)];
    if (add.length + remove.length === 0) continue;
    const present = current.filter(({ type_id }) => type_id === type);
    const isThere = without(remove, present).length === 0;
    if (isThere && end === own.length - 1) past.flags.set(type, { add, remove });
    else past.left.push({ field: FLAGS, why: `${own[0]?.flag.name ?? type} was ${CHANGED_AGAIN}` });
  }
}

/** The states without as many of each as others have: several flags may be in the same one. */
export function without<T extends FlagState>(states: readonly T[], others: readonly FlagState[]): T[] {
  const left = others.map(flagState);
  return states.filter((one) => {
    const at = left.indexOf(flagState(one));
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

function keepTogether({ values, left }: PastValues, unit: readonly string[]): void {
  if (!left.some(({ field }) => unit.includes(field))) return;
  for (const field of unit) {
    if (values.delete(field)) left.push({ field, why: `it belongs to what was ${CHANGED_AGAIN}` });
  }
}

/** A value of a change: of what is stored by id that of the record, of others by the text of the history. */
function changedValue(field: HistoryField, text = '', recorded: ChangeRecord['removed'] = {}): StoredValue {
  const { shape, empty } = kindOf(field);
  if (field.derived === 'place') return recorded[field.rest]?.[0] ?? null;
  if (text === '') return empty;
  if (shape === 'boolean') return text === '1';
  if (['hours', 'integer', 'bug', 'id'].includes(shape)) return Number(text);
  return shape === 'time' ? (parseTime(text) ?? null) : text;
}
