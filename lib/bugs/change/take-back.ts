import { compareNames, normalizeName } from '../../base/text.ts';
import { BugzillaError } from '../../errors.ts';
import type { User } from '../../people/caller.ts';
import type { UserRepository } from '../../people/repository.ts';
import { availableTypes } from '../../products/flag-types.ts';
import { requiredGroups, validGroups } from '../../products/group-controls.ts';
import { partNamed } from '../../products/parts.ts';
import { knownProduct, placeOf } from '../../products/place.ts';
import type { ProductRepository } from '../../products/repository.ts';
import type { ProductWithParts } from '../../products/schema.ts';
import { type BugChange, historyValue } from '../changes.ts';
import { kindOf, type StoredValue } from '../fields/kinds.ts';
import { type BugFields, type HistoryField, storedValue } from '../fields/registry.ts';
import { currentFlags } from '../flags/set-flags.ts';
import { type BugItem, bugItem } from '../schema.ts';
import type { BugRepository } from '../store/repository.ts';
import type { BugSettings, BugSettingsRepository } from '../store/settings-repository.ts';
import { bugChangesOf } from './compute-changes.ts';
import { BugDrafts } from './drafts.ts';
import { checkDependencies, type ReadBugs } from './loops.ts';
import { flagsBefore } from './past-flags.ts';
import {
  changesOf,
  type LeftField,
  type ListReturn,
  type PastChange,
  type PastValues,
  pastValues,
  valueOfText,
} from './past-values.ts';

/** Where bugs are read from whose changes are taken back, and what they refer to. */
export interface ReturnSources {
  bugs: Pick<BugRepository, 'byIds' | 'idsOf'>;
  products: Pick<ProductRepository, 'allWithParts' | 'idsByName'>;
  users: Pick<UserRepository, 'byLogins'>;
  bugSettings: Pick<BugSettingsRepository, 'read' | 'keywordsByName'>;
}

/** Changes of a bug that are taken back. */
export interface BugReturn {
  /** of the bug, and of those at the other ends of its dependencies; empty: there is nothing to take back */
  changes: BugChange[];
  left: LeftField[];
}

/** A bug while its fields get their former values. */
interface Draft {
  bug: BugItem;
  fields: BugFields;
  product: ProductWithParts;
  left: LeftField[];
}

const PLACE = ['product', 'component', 'version', 'target_milestone'];
const STATE = ['status', 'resolution', 'is_confirmed'];
const DEPENDENCIES = ['blocks', 'depends_on'] as const;
const GONE = 'is not there any more';
const TAKEN = 'is an alias of another bug now';

/**
 * Takes back what somebody changed of a bug, as a new change of the operator. The state before was valid then: the workflow and
 * values that are inactive now do not bar it. What refers to something that is not there any more is left.
 *
 * @param changes of the bug since a time, oldest first, those of others, too
 * @param login whose changes are taken back
 */
export async function takeBack(
  bug: BugItem,
  changes: readonly PastChange[],
  login: string,
  operator: User,
  sources: ReturnSources,
): Promise<BugReturn> {
  const settings = await sources.bugSettings.read();
  const { fields } = settings;
  const [product] = await sources.products.allWithParts([bug.product_id]);
  if (product === undefined) return { changes: [], left: [{ field: 'product', why: GONE }] };
  const place = placeOf(bug, knownProduct(product));
  const textOf = (field: HistoryField) => {
    const value = historyValue(bug, place, field);
    return typeof value === 'string' ? value : value.join(', ');
  };
  const past = pastValues(bug, changes, login, fields, textOf);
  const placed = await returnPlace({ bug, fields, product, left: past.left }, past, sources);
  const valued = await returnValues(placed, past.values, sources);
  const listed = await returnLists(returnState(valued, past.values, settings), past.lists, sources);
  const flagged = returnFlags(listed, changes, login);
  const drafts = await draftsOf(bug, flagged, past.lists, sources);
  const editor = {
    ...{ caller: { user: operator, groups: new Set<string>() }, isTimeTracker: true, isInsider: true },
    ...{ isTagger: false, insiderGroup: '', duplicateStatus: '', base: '' },
  };
  const related = [...drafts.all()].map(({ after }) => after.product_id);
  const known = await sources.products.allWithParts([...new Set([bug.product_id, ...related])]);
  const products = new Map(known.map((one) => [one.product.id, one]));
  const context = { ...settings, editor, products, target: undefined };
  return { changes: bugChangesOf(drafts, [], new Map(), context), left: flagged.left };
}

/** Sets product, component, version and milestone, where all of them are there. */
async function returnPlace(
  draft: Draft,
  { values, ids }: Pick<PastValues, 'values' | 'ids'>,
  { products }: ReturnSources,
): Promise<Draft> {
  const given = PLACE.filter((field) => values.has(field));
  if (given.length === 0) return draft;
  const leave = (what: string): Draft => ({
    ...draft,
    left: [...draft.left, ...given.map((field) => ({ field, why: `the ${what} ${GONE}` }))],
  });
  const name = values.get('product');
  const named = ids.get('product') ?? (name === undefined ? draft.bug.product_id : undefined);
  const found = named === undefined ? [...(await products.idsByName([name ?? ''])).values()] : [named];
  const [product] = await products.allWithParts(found);
  if (product === undefined) return leave('product');
  const componentId = ids.get('component') ?? (values.has('component') ? undefined : draft.bug.component_id);
  const component =
    componentId === undefined
      ? partNamed(product.components, values.get('component') ?? '')
      : product.components.find(({ id }) => id === componentId);
  if (component === undefined) return leave('component');
  const version = partNamed(product.versions, values.get('version') ?? draft.bug.version);
  if (version === undefined) return leave('version');
  const milestone = partNamed(
    product.milestones,
    values.get('target_milestone') ?? draft.bug.target_milestone,
  );
  if (milestone === undefined) return leave('milestone');
  const bug = {
    ...{ ...draft.bug, product_id: product.product.id, component_id: component.id },
    ...{ version: version.name, target_milestone: milestone.name },
  };
  return { ...draft, bug, product };
}

/** Sets status and resolution, where they fit each other. Histories do not say which bug another one was a duplicate of. */
function returnState(draft: Draft, values: ReadonlyMap<string, string>, { workflow }: BugSettings): Draft {
  const given = STATE.filter((field) => values.has(field));
  const { bug: restored } = given.reduce(
    (one, field) => withText(one, field, values.get(field) ?? ''),
    draft,
  );
  const isDuplicate = restored.resolution === 'DUPLICATE';
  const bug = { ...restored, dupe_of: isDuplicate ? restored.dupe_of : null };
  const isKnown = workflow.names.includes(bug.status);
  const isOpen = bug.resolution === '';
  const isComplete = !isDuplicate || bug.dupe_of !== null;
  if (isKnown && workflow.isOpen(bug.status) === isOpen && isComplete) return { ...draft, bug };
  const misfit = isComplete
    ? 'status and resolution would not fit each other'
    : 'its history does not give the bug that it was a duplicate of';
  const why = isKnown ? misfit : `the status ${GONE}`;
  return { ...draft, left: [...draft.left, ...given.map((field) => ({ field, why }))] };
}

/** Sets the other fields that are no lists; people must still be there. */
async function returnValues(
  draft: Draft,
  values: ReadonlyMap<string, string>,
  { users }: ReturnSources,
): Promise<Draft> {
  let current = draft;
  for (const [name, text] of values) {
    if (PLACE.includes(name) || STATE.includes(name)) continue;
    const isPerson = kindOf(fieldNamed(draft.fields, name)).comparison === 'person';
    const isMissing = isPerson && text !== '' && (await users.byLogins([text])).size === 0;
    current = isMissing ? leaving(current, name, `'${text}' ${GONE}`) : withText(current, name, text);
  }
  return current;
}

/** Adds and removes elements of lists, but for dependencies; those to add must still be there. */
async function returnLists(
  draft: Draft,
  lists: ReadonlyMap<string, ListReturn>,
  sources: ReturnSources,
): Promise<Draft> {
  let current = draft;
  for (const [name, { add, remove }] of lists) {
    if (name === 'blocks' || name === 'depends_on') continue;
    const field = fieldNamed(draft.fields, name);
    const isThere = await thoseThere(field, add, current, sources);
    for (const one of add.filter((element) => !isThere(element))) {
      current = leaving(current, name, `'${one}' ${name === 'alias' ? TAKEN : GONE}`);
    }
    // A product that the bug does not go back from may require them.
    const staysInGroups = name === 'groups' && remove.length > 0 && isLeftIn(current, 'product');
    if (staysInGroups) current = leaving(current, name, 'the bug stays in its product');
    const now = [storedValue(current.bug, field) ?? []].flat().map(String);
    const kept = staysInGroups ? now : now.filter((one) => !remove.includes(one));
    const next = [...kept, ...add.filter((one) => isThere(one) && !kept.includes(one))];
    current = withValue(current, field, name === 'see_also' ? next : next.toSorted(compareNames));
  }
  return withMandatoryGroups(current);
}

/** Sets the flags of the types that are available where the bug is then. */
function returnFlags(draft: Draft, changes: readonly PastChange[], login: string): Draft {
  const { bug, product, left } = draft;
  const types = availableTypes(product.flagTypes, 'bug', bug.component_id);
  const past = flagsBefore(currentFlags(bug.flags, types), changes, changesOf(login), types);
  const isSame =
    past.flags.every((flag) => bug.flags.includes(flag)) && past.flags.length === bug.flags.length;
  return {
    ...draft,
    ...(isSame ? {} : { bug: { ...bug, flags: past.flags } }),
    left: [...left, ...past.left],
  };
}

/** A bug is in all groups that its product makes mandatory. */
function withMandatoryGroups(draft: Draft): Draft {
  const missing = requiredGroups(draft.product.product).filter((group) => !draft.bug.groups.includes(group));
  if (missing.length === 0) return draft;
  return { ...draft, bug: { ...draft.bug, groups: [...draft.bug.groups, ...missing].sort(compareNames) } };
}

/** Which elements that a list had it may have again. */
async function thoseThere(
  { rest, custom }: HistoryField,
  add: string[],
  { bug, product }: Draft,
  { bugs, users, bugSettings }: ReturnSources,
): Promise<(element: string) => boolean> {
  if (add.length === 0) return () => true;
  if (custom !== undefined) return (element) => custom.values.some(({ name }) => name === element);
  if (rest === 'groups') {
    const valid = new Set(validGroups(product.product));
    return (element) => valid.has(element);
  }
  if (rest === 'see_also') return () => true;
  if (rest === 'alias') {
    const owners = await bugs.idsOf(add);
    return (element) => [undefined, bug.id].includes(owners[add.indexOf(element)]);
  }
  const known = rest === 'keywords' ? await bugSettings.keywordsByName(add) : await users.byLogins(add);
  return (element) => known.has(normalizeName(element));
}

/** The bug with its dependencies as they were, and the bugs at the other ends. */
async function draftsOf(
  before: BugItem,
  draft: Draft,
  lists: ReadonlyMap<string, ListReturn>,
  { bugs }: ReturnSources,
): Promise<BugDrafts> {
  const { id } = before;
  const read = (ids: number[]) => bugs.byIds(ids);
  const drafts = new BugDrafts();
  drafts.add([before]);
  drafts.change(id, draft.bug);
  for (const field of DEPENDENCIES) {
    const { add, remove } = lists.get(field) ?? { add: [], remove: [] };
    const numbers = [...add, ...remove].map(Number);
    drafts.add((await read(numbers)).values());
    const there = add.map(Number).filter((one) => drafts.get(one) !== undefined);
    for (const one of add) {
      if (!there.includes(Number(one))) draft.left.push({ field, why: `bug ${one} ${GONE}` });
    }
    if (numbers.length === 0) continue;
    let kept = (drafts.get(id)?.[field] ?? []).filter((one) => !remove.includes(String(one)));
    drafts.relate(id, field, kept);
    for (const one of there) {
      drafts.relate(id, field, [...kept, one]);
      if (await isLoop(drafts, id, read)) {
        draft.left.push({ field, why: `the bug would depend on itself by bug ${one}` });
        drafts.relate(id, field, kept);
      } else kept = [...kept, one];
    }
  }
  return drafts;
}

/** Whether a bug depends on itself. */
const isLoop = (drafts: BugDrafts, id: number, read: ReadBugs): Promise<boolean> =>
  checkDependencies(drafts, id, read).then(
    () => false,
    (error: unknown) => {
      if (error instanceof BugzillaError) return true;
      throw error;
    },
  );

function fieldNamed(fields: BugFields, name: string): HistoryField {
  const field = fields.inHistory.find(({ rest }) => rest === name);
  if (field === undefined) throw new Error(`There is no field ${name}`);
  return field;
}

const isLeftIn = ({ left }: Draft, name: string): boolean => left.some(({ field }) => field === name);

const leaving = (draft: Draft, field: string, why: string): Draft => ({
  ...draft,
  left: [...draft.left, { field, why }],
});

function withText(draft: Draft, name: string, text: string): Draft {
  const field = fieldNamed(draft.fields, name);
  const value = valueOfText(field, text);
  return value === undefined
    ? leaving(draft, name, 'its history does not give the value')
    : withValue(draft, field, value);
}

/** The bug with the value of a field; custom fields that are empty have none. */
function withValue(draft: Draft, { custom, stored }: HistoryField, value: StoredValue): Draft {
  const { bug } = draft;
  if (custom !== undefined) {
    const { [custom.name]: _, ...others } = bug.custom;
    const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0);
    return {
      ...draft,
      bug: bugItem.parse({ ...bug, custom: isEmpty ? others : { ...others, [custom.name]: value } }),
    };
  }
  return stored === undefined ? draft : { ...draft, bug: bugItem.parse({ ...bug, [stored[0]]: value }) };
}
