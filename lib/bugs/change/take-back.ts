import { isDeepStrictEqual } from 'node:util';
import { compareNames, normalizeName } from '../../base/text.ts';
import { parseTime } from '../../base/time.ts';
import { BugzillaError } from '../../errors.ts';
import type { User } from '../../people/caller.ts';
import { requiredGroups, validGroups } from '../../products/group-controls.ts';
import { partNamed } from '../../products/parts.ts';
import { availableTypes, type FlagTypeItem } from '../../products/schema.ts';
import type { BugChange, ChangeRecord } from '../changes.ts';
import { kindOf, type StoredValue } from '../fields/kinds.ts';
import { type BugFields, type HistoryField, storedValue } from '../fields/registry.ts';
import { FLAGS, type FlagItem, type FlagState } from '../flags/schema.ts';
import { currentFlags, NEW_FLAG } from '../flags/set-flags.ts';
import { type BugItem, bugItem, COMMENT_PRIVACY, type FieldChange } from '../schema.ts';
import { bugChangesOf } from './compute-changes.ts';
import { BugDrafts } from './drafts.ts';
import { checkLoop } from './links.ts';
import type { SourceRepositories } from './sources.ts';

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

/** Fields whose values follow from each other: all of them are taken back, or none. */
const PLACE = ['product', 'component', 'version', 'target_milestone'];
const STATE = ['status', 'resolution', 'is_confirmed'];
const DEPENDENCIES = ['blocks', 'depends_on'] as const;
const OWN_RULES: ReadonlySet<string> = new Set([...PLACE, ...STATE, ...DEPENDENCIES]);
const NOT_TAKEN_BACK: ReadonlyMap<string, string> = new Map([
  [COMMENT_PRIVACY, 'the privacy of comments is not taken back'],
  ['work_time', 'hours that came with comments are not taken back'],
]);
/** It follows from the product. */
const FOLLOWS = 'classification';
const CHANGED_AGAIN = 'changed again since';
const GONE = 'is not there any more';
const TAKEN = 'is an alias of another bug now';

type IsTheirs = (change: Pick<PastChange, 'who'>) => boolean;
type Leave = (field: string, why: string) => void;

/** Tells the changes of somebody. */
export const changesOf =
  (login: string): IsTheirs =>
  ({ who }) =>
    normalizeName(who) === normalizeName(login);

/**
 * Takes back what somebody changed of a bug, as a new change of the operator. The state before was valid then: the workflow and
 * values that are inactive now do not bar it. What refers to something that is not there any more is left, as is what others changed
 * again since: a field, an element of a list, the flags of a type.
 *
 * @param changes of the bug since a time, oldest first, those of others, too
 * @param login whose changes are taken back
 * @returns the changes of the bug, and of those at the other ends of its dependencies, and what is left
 */
export async function takeBack(
  before: BugItem,
  changes: readonly PastChange[],
  login: string,
  operator: User,
  sources: SourceRepositories,
): Promise<{ changes: BugChange[]; left: LeftField[] }> {
  const settings = await sources.bugSettings.read();
  const { fields, workflow } = settings;
  const left: LeftField[] = [];
  const leave: Leave = (field, why) => void left.push({ field, why });
  const isTheirs = changesOf(login);
  const values = pastValues(before, changes, isTheirs, fields, leave);
  for (const unit of [STATE, PLACE]) {
    if (!left.some(({ field }) => unit.includes(field))) continue;
    for (const field of unit) {
      if (values.delete(field)) leave(field, `it belongs to what was ${CHANGED_AGAIN}`);
    }
  }
  let bug = before;
  const fieldNamed = (name: string) => fields.inHistory.find(({ rest }) => rest === name);
  const readProduct = async (id: number) => (await sources.products.allWithParts([id]))[0];

  /** Product, component, version and milestone, where all of them are there. @returns the product that the bug is in then */
  async function returnPlace() {
    const given = PLACE.filter((field) => values.has(field));
    const product = await readProduct(Number(values.get('product') ?? bug.product_id));
    if (given.length === 0) return product;
    const nameOf = (field: string, present: string) => String(values.get(field) ?? present);
    const componentId = Number(values.get('component') ?? bug.component_id);
    const component = product?.components.find(({ id }) => id === componentId);
    const version = partNamed(product?.versions ?? [], nameOf('version', bug.version));
    const milestone = partNamed(product?.milestones ?? [], nameOf('target_milestone', bug.target_milestone));
    if (product && component && version && milestone) {
      const names = { version: version.name, target_milestone: milestone.name };
      bug = { ...bug, product_id: product.product.id, component_id: component.id, ...names };
      return product;
    }
    const parts = { product, component, version, milestone };
    const missing = Object.entries(parts).find(([, part]) => part === undefined)?.[0];
    for (const field of given) leave(field, `the ${missing} ${GONE}`);
    return readProduct(bug.product_id);
  }

  /** Status and resolution, where they fit each other. Histories do not say which bug another one was a duplicate of. */
  function returnState(): void {
    const given = STATE.filter((field) => values.has(field));
    const restored = given.reduce((one, name) => withValue(one, fieldNamed(name), values.get(name)), bug);
    const isDuplicate = restored.resolution === 'DUPLICATE';
    const isComplete = !isDuplicate || restored.dupe_of !== null;
    const isKnown = workflow.names.includes(restored.status);
    if (isKnown && workflow.isOpen(restored.status) === (restored.resolution === '') && isComplete) {
      bug = { ...restored, dupe_of: isDuplicate ? restored.dupe_of : null };
      return;
    }
    const misfit = isComplete
      ? 'status and resolution would not fit each other'
      : 'its history does not give the bug that it was a duplicate of';
    for (const field of given) leave(field, isKnown ? misfit : `the status ${GONE}`);
  }

  const product = await returnPlace();
  if (product === undefined) return { changes: [], left: [{ field: 'product', why: GONE }] };
  returnState();
  const groups = new Set(validGroups(product.product));
  for (const [name, value] of values) {
    const field = fieldNamed(name);
    if (field === undefined || OWN_RULES.has(name)) continue;
    const [now, given] = [elementsOf(storedValue(bug, field)), elementsOf(value)];
    const gained = given.filter((one) => !now.includes(one));
    const gone = await goneAmong(gained, field, before.id, groups, sources);
    for (const one of gone) leave(name, `'${one}' ${name === 'alias' ? TAKEN : GONE}`);
    if (!Array.isArray(value)) {
      if (gone.length === 0) bug = withValue(bug, field, value);
      continue;
    }
    const kept = now.filter((one) => given.includes(one));
    // A product that the bug does not go back from may require them.
    const staysInGroups =
      name === 'groups' && kept.length < now.length && left.some((one) => one.field === 'product');
    if (staysInGroups) leave(name, 'the bug stays in its product');
    const next = [...(staysInGroups ? now : kept), ...gained.filter((one) => !gone.includes(one))];
    bug = withValue(bug, field, name === 'see_also' ? next : next.sort(compareNames));
  }
  // A bug is in all groups that its product makes mandatory.
  const mandatory = requiredGroups(product.product).filter((group) => !bug.groups.includes(group));
  if (mandatory.length > 0) bug = { ...bug, groups: [...bug.groups, ...mandatory].sort(compareNames) };
  const types = availableTypes(product.flagTypes, 'bug', bug.component_id);
  bug = { ...bug, flags: pastFlags(bug.flags, changes, isTheirs, types, leave) };

  const drafts = new BugDrafts();
  drafts.add([before]);
  drafts.change(bug.id, bug);
  for (const field of DEPENDENCIES) {
    if (!values.has(field)) continue;
    const given = elementsOf(values.get(field)).map(Number);
    let kept = before[field].filter((one) => given.includes(one));
    drafts.add((await sources.bugs.byIds([...given, ...before[field]])).values());
    drafts.relate(bug.id, field, kept);
    for (const one of given.filter((id) => !before[field].includes(id))) {
      const isThere = drafts.get(one) !== undefined;
      if (isThere) drafts.relate(bug.id, field, [...kept, one]);
      if (!isThere) leave(field, `bug ${one} ${GONE}`);
      else if (await isLoop(drafts, bug.id, sources)) {
        leave(field, `the bug would depend on itself by bug ${one}`);
        drafts.relate(bug.id, field, kept);
      } else kept = [...kept, one];
    }
  }

  const editor = {
    ...{ caller: { user: operator, groups: new Set<string>() }, isTimeTracker: true, isInsider: true },
    ...{ isTagger: false, insiderGroup: '', duplicateStatus: '', base: '' },
  };
  const related = [...drafts.all()].map(({ after }) => after.product_id);
  const known = await sources.products.allWithParts([...new Set([before.product_id, ...related])]);
  const products = new Map(known.map((one) => [one.product.id, one]));
  const context = { ...settings, drafts, custom: new Map(), editor, products, target: undefined };
  return { changes: bugChangesOf(context, []), left };
}

/** The elements of a list, or a value that is none; empty: none. */
const elementsOf = (value: StoredValue = null): string[] => [value ?? []].flat().map(String).filter(Boolean);

/** Which people, and elements that a list had, are not there any more. */
async function goneAmong(
  elements: string[],
  field: HistoryField,
  bug: number,
  groups: ReadonlySet<string>,
  { bugs, users, bugSettings }: SourceRepositories,
): Promise<string[]> {
  const { rest, custom } = field;
  const { empty, comparison } = kindOf(field);
  const isFree = rest === 'see_also' || !(Array.isArray(empty) || comparison === 'person');
  if (elements.length === 0 || isFree) return [];
  if (custom !== undefined) return elements.filter((one) => !custom.values.some(({ name }) => name === one));
  if (rest === 'groups') return elements.filter((one) => !groups.has(one));
  if (rest === 'alias') {
    const owners = await bugs.idsOf(elements);
    return elements.filter((_, index) => ![undefined, bug].includes(owners[index]));
  }
  const known =
    rest === 'keywords' ? await bugSettings.keywordsByName(elements) : await users.byLogins(elements);
  return elements.filter((one) => !known.has(normalizeName(one)));
}

/** Whether a bug depends on itself. */
const isLoop = (drafts: BugDrafts, id: number, { bugs }: SourceRepositories): Promise<boolean> =>
  checkLoop({ drafts, readBugs: bugs.byIds }, id, 'depends_on').then(
    () => false,
    (error: unknown) => {
      if (error instanceof BugzillaError) return true;
      throw error;
    },
  );

/** The bug with the value of a field; custom fields that are empty have none. */
function withValue(bug: BugItem, field: HistoryField | undefined, value: StoredValue = null): BugItem {
  if (field?.custom === undefined) {
    return field?.stored === undefined ? bug : bugItem.parse({ ...bug, [field.stored[0]]: value });
  }
  const { [field.custom.name]: _, ...others } = bug.custom;
  const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0);
  return bugItem.parse({ ...bug, custom: isEmpty ? others : { ...others, [field.custom.name]: value } });
}

/** What a change did to a part of a field: an element of a list, which is there or not, or all of another one. */
interface Step {
  by: PastChange;
  part: string;
  before: StoredValue;
  after: StoredValue;
}

/**
 * What a bug had before somebody changed it, by the names of the interface; of products and components the id. What has the value of
 * before already is left out.
 */
function pastValues(
  bug: BugItem,
  changes: readonly PastChange[],
  isTheirs: IsTheirs,
  fields: BugFields,
  leave: Leave,
): Map<string, StoredValue> {
  const values = new Map<string, StoredValue>();
  const own = changes.filter(isTheirs).flatMap((change) => change.changes);
  if (own.some(({ attachment_id }) => attachment_id !== undefined)) {
    leave('attachments', 'changes of attachments are not taken back');
  }
  const ofBug = own.filter(({ attachment_id }) => attachment_id === undefined);
  for (const name of new Set(ofBug.map((one) => one.field_name))) {
    if (name === FOLLOWS || name === FLAGS) continue;
    const field = fields.inHistory.find(({ rest }) => rest === name);
    const isOf = (one: FieldChange) => one.field_name === name && one.attachment_id === undefined;
    const ofField = changes.filter((by) => by.changes.some(isOf));
    const unrecorded = ofField.find(({ record }) => record === undefined);
    if (unrecorded !== undefined) leave(name, `its change of ${unrecorded.when} has no record`);
    else if (field === undefined || NOT_TAKEN_BACK.has(name)) {
      leave(name, NOT_TAKEN_BACK.get(name) ?? 'there is no such field any more');
    } else {
      const current = storedValue(bug, field);
      const list = Array.isArray(kindOf(field).empty) ? elementsOf(current) : undefined;
      const steps = ofField.flatMap((by) => stepsOf(by, field, by.changes.find(isOf)));
      for (const [part, ofPart] of Map.groupBy(steps, (step) => step.part)) {
        const former = valueBefore(ofPart, list?.includes(part) ?? current, isTheirs);
        const next = [values.get(name) ?? list ?? []].flat().map(String);
        if (former === CHANGED_AGAIN) leave(name, list ? `'${part}' was ${CHANGED_AGAIN}` : CHANGED_AGAIN);
        else if (former === undefined) continue;
        else if (list === undefined) values.set(name, former.value);
        else values.set(name, former.value ? [...next, part] : next.filter((one) => one !== part));
      }
    }
  }
  return values;
}

/** What a change did to a field: values that are stored by id, and lists, are in its record, others in the text of the history. */
function stepsOf(by: PastChange, field: HistoryField, change: FieldChange | undefined): Step[] {
  const [removed = [], added = []] = [by.record?.removed[field.rest], by.record?.added[field.rest]];
  if (Array.isArray(kindOf(field).empty)) {
    return [
      ...removed.map((one): Step => ({ by, part: String(one), before: true, after: false })),
      ...added.map((one): Step => ({ by, part: String(one), before: false, after: true })),
    ];
  }
  if (field.derived === 'place')
    return [{ by, part: '', before: removed[0] ?? null, after: added[0] ?? null }];
  const told = (text: string | undefined) => toldValue(field, text);
  return [{ by, part: '', before: told(change?.removed), after: told(change?.added) }];
}

/** A value that a history tells. */
function toldValue(field: HistoryField, text = ''): StoredValue {
  const { shape, empty } = kindOf(field);
  if (text === '') return empty;
  if (shape === 'boolean') return text === '1';
  if (['hours', 'integer', 'bug', 'id'].includes(shape)) return Number(text);
  return shape === 'time' ? (parseTime(text) ?? null) : text;
}

/** Where the last changes of somebody in a row begin and end; the end is -1 without any. */
function lastRun(steps: readonly { by: PastChange }[], isTheirs: IsTheirs) {
  const end = steps.findLastIndex(({ by }) => isTheirs(by));
  return { start: steps.slice(0, end + 1).findLastIndex(({ by }) => !isTheirs(by)) + 1, end };
}

/** What a part had before the last changes of somebody in a row; undefined: it has that, or nobody of these changed it. */
function valueBefore(
  steps: readonly Step[],
  current: StoredValue,
  isTheirs: IsTheirs,
): { value: StoredValue } | typeof CHANGED_AGAIN | undefined {
  const { start, end } = lastRun(steps, isTheirs);
  const [first, last] = [steps[start], steps[end]];
  if (first === undefined || last === undefined || isDeepStrictEqual(current, first.before)) return undefined;
  const isLast = end === steps.length - 1 && isDeepStrictEqual(current, last.after);
  return isLast ? { value: first.before } : CHANGED_AGAIN;
}

/** The flags of a bug with those of each type as they were before the last changes of somebody in a row. */
function pastFlags(
  current: FlagItem[],
  changes: readonly PastChange[],
  isTheirs: IsTheirs,
  types: readonly FlagTypeItem[],
  leave: Leave,
): FlagItem[] {
  const all = changes.flatMap((by) =>
    by.flags.filter(({ attachment_id }) => attachment_id === undefined).map((flag) => ({ by, flag })),
  );
  let [flags, isLost] = [current, false];
  for (const [type_id, own] of Map.groupBy(all, ({ flag }) => flag.type_id)) {
    const { start, end } = lastRun(own, isTheirs);
    const since = end === -1 ? [] : own.slice(start).map(({ flag }) => flag);
    const [was, is] = [since.flatMap((one) => one.before ?? []), since.flatMap((one) => one.after ?? [])];
    const [add, remove] = [without(was, is), without(is, was)];
    const present = current.filter((flag) => flag.type_id === type_id);
    if (add.length + remove.length === 0) continue;
    if (end < own.length - 1 || without(remove, present).length > 0) {
      leave(FLAGS, `${own[0]?.flag.name ?? type_id} was ${CHANGED_AGAIN}`);
    } else if (!types.some(({ id }) => id === type_id)) isLost = true;
    else {
      const kept = without(present, remove);
      const lost = present.filter((flag) => !kept.includes(flag));
      const back = add.map((state, at): FlagItem => {
        return { ...NEW_FLAG, type_id, ...lost[at], ...state, modification_date: '' };
      });
      flags = [...flags.filter((flag) => !lost.includes(flag)), ...back];
    }
  }
  if (isLost) leave(FLAGS, 'a flag type is not available any more');
  return flags === current ? flags : currentFlags(flags, types);
}

/** The states without as many of each as others have: several flags may be in the same one. */
function without<T extends FlagState>(states: readonly T[], others: readonly FlagState[]): T[] {
  const textOf = ({ status, setter, requestee }: FlagState) => JSON.stringify([status, setter, requestee]);
  const left = others.map(textOf);
  return states.filter((one) => {
    const at = left.indexOf(textOf(one));
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}
