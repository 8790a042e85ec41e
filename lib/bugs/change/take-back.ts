import { compareNames, normalizeName } from '../../base/text.ts';
import { BugzillaError } from '../../errors.ts';
import type { User } from '../../people/caller.ts';
import type { UserRepository } from '../../people/repository.ts';
import { requiredGroups, validGroups } from '../../products/group-controls.ts';
import { partNamed } from '../../products/parts.ts';
import type { ProductRepository } from '../../products/repository.ts';
import { availableTypes } from '../../products/schema.ts';
import type { BugChange } from '../changes.ts';
import { kindOf, type StoredValue } from '../fields/kinds.ts';
import { type HistoryField, storedValue } from '../fields/registry.ts';
import { FLAGS, type FlagItem } from '../flags/schema.ts';
import { currentFlags, NEW_FLAG } from '../flags/set-flags.ts';
import { type BugItem, bugItem } from '../schema.ts';
import type { BugRepository } from '../store/repository.ts';
import type { BugSettingsRepository } from '../store/settings-repository.ts';
import type { ReadBugs } from './bug-update.ts';
import { bugChangesOf } from './compute-changes.ts';
import { BugDrafts } from './drafts.ts';
import { checkLoop } from './links.ts';
import { type LeftField, type PastChange, pastValues, without } from './past-values.ts';

/** Where bugs are read from whose changes are taken back, and what they refer to. */
export interface ReturnSources {
  bugs: Pick<BugRepository, 'byIds' | 'idsOf'>;
  products: Pick<ProductRepository, 'allWithParts'>;
  users: Pick<UserRepository, 'byLogins'>;
  bugSettings: Pick<BugSettingsRepository, 'read' | 'keywordsByName'>;
}

/** Changes of a bug that are taken back. */
export interface BugReturn {
  /** of the bug, and of those at the other ends of its dependencies; empty: there is nothing to take back */
  changes: BugChange[];
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
  before: BugItem,
  changes: readonly PastChange[],
  login: string,
  operator: User,
  sources: ReturnSources,
): Promise<BugReturn> {
  const settings = await sources.bugSettings.read();
  const { fields, workflow } = settings;
  const { values, lists, flags, left } = pastValues(before, changes, login, fields);
  let bug = before;
  const leave = (field: string, why: string) => void left.push({ field, why });
  const fieldNamed = (name: string) => fields.inHistory.find(({ rest }) => rest === name);
  const readProduct = async (id: number) => (await sources.products.allWithParts([id]))[0];

  /** Product, component, version and milestone, where all of them are there. @returns the product that the bug is in then */
  async function returnPlace() {
    const given = PLACE.filter((field) => values.has(field));
    const product = await readProduct(Number(values.get('product') ?? bug.product_id));
    const nameOf = (field: string, present: string) => String(values.get(field) ?? present);
    const componentId = Number(values.get('component') ?? bug.component_id);
    const component = product?.components.find(({ id }) => id === componentId);
    const version = partNamed(product?.versions ?? [], nameOf('version', bug.version));
    const milestone = partNamed(product?.milestones ?? [], nameOf('target_milestone', bug.target_milestone));
    if (given.length === 0) return product;
    if (
      product !== undefined &&
      component !== undefined &&
      version !== undefined &&
      milestone !== undefined
    ) {
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
  for (const [name, value] of values) {
    const field = fieldNamed(name);
    if (PLACE.includes(name) || STATE.includes(name) || field === undefined) continue;
    const isPerson = kindOf(field).comparison === 'person' && value !== '';
    const isThere = !isPerson || (await sources.users.byLogins([String(value)])).size > 0;
    if (isThere) bug = withValue(bug, field, value);
    else leave(name, `'${value}' ${GONE}`);
  }

  const groups = new Set(validGroups(product.product));
  for (const [name, { add, remove }] of lists) {
    const field = fieldNamed(name);
    if (name === 'blocks' || name === 'depends_on' || field === undefined) continue;
    const isThere = add.length === 0 ? () => true : await thoseThere(field, add, before.id, groups, sources);
    for (const one of add.filter((element) => !isThere(element))) {
      leave(name, `'${one}' ${name === 'alias' ? TAKEN : GONE}`);
    }
    // A product that the bug does not go back from may require them.
    const staysInGroups =
      name === 'groups' && remove.length > 0 && left.some((one) => one.field === 'product');
    if (staysInGroups) leave(name, 'the bug stays in its product');
    const now = [storedValue(bug, field) ?? []].flat().map(String);
    const kept = staysInGroups ? now : now.filter((one) => !remove.includes(one));
    const next = [...kept, ...add.filter((one) => isThere(one) && !kept.includes(one))];
    bug = withValue(bug, field, name === 'see_also' ? next : next.toSorted(compareNames));
  }
  // A bug is in all groups that its product makes mandatory.
  const mandatory = requiredGroups(product.product).filter((group) => !bug.groups.includes(group));
  if (mandatory.length > 0) bug = { ...bug, groups: [...bug.groups, ...mandatory].sort(compareNames) };

  const types = availableTypes(product.flagTypes, 'bug', bug.component_id);
  const available = [...flags].filter(([id]) => types.some((type) => type.id === id));
  if (available.length < flags.size) leave(FLAGS, 'a flag type is not available any more');
  for (const [id, { add, remove }] of available) {
    const ofType = bug.flags.filter((flag) => flag.type_id === id);
    const kept = without(ofType, remove);
    const lost = ofType.filter((flag) => !kept.includes(flag));
    const back = add.map((state, at): FlagItem => {
      const known = lost[at] ?? { ...NEW_FLAG, type_id: id };
      return { ...known, ...state, modification_date: '' };
    });
    bug = { ...bug, flags: [...bug.flags.filter((flag) => !lost.includes(flag)), ...back] };
  }
  if (available.length > 0) bug = { ...bug, flags: currentFlags(bug.flags, types) };

  const drafts = new BugDrafts();
  drafts.add([before]);
  drafts.change(bug.id, bug);
  for (const field of DEPENDENCIES) {
    const { add, remove } = lists.get(field) ?? { add: [], remove: [] };
    const numbers = [...add, ...remove].map(Number);
    drafts.add((await sources.bugs.byIds(numbers)).values());
    let kept = (drafts.get(bug.id)?.[field] ?? []).filter((one) => !remove.includes(String(one)));
    if (numbers.length > 0) drafts.relate(bug.id, field, kept);
    for (const one of add.map(Number)) {
      const isThere = drafts.get(one) !== undefined;
      if (isThere) drafts.relate(bug.id, field, [...kept, one]);
      if (!isThere) leave(field, `bug ${one} ${GONE}`);
      else if (await isLoop(drafts, bug.id, sources.bugs.byIds)) {
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

/** Which elements that a list had it may have again. */
async function thoseThere(
  { rest, custom }: HistoryField,
  add: string[],
  bug: number,
  groups: ReadonlySet<string>,
  { bugs, users, bugSettings }: ReturnSources,
): Promise<(element: string) => boolean> {
  if (custom !== undefined) return (element) => custom.values.some(({ name }) => name === element);
  if (rest === 'groups') return (element) => groups.has(element);
  if (rest === 'see_also') return () => true;
  if (rest === 'alias') {
    const owners = await bugs.idsOf(add);
    return (element) => [undefined, bug].includes(owners[add.indexOf(element)]);
  }
  const known = rest === 'keywords' ? await bugSettings.keywordsByName(add) : await users.byLogins(add);
  return (element) => known.has(normalizeName(element));
}

/** Whether a bug depends on itself. */
const isLoop = (drafts: BugDrafts, id: number, readBugs: ReadBugs): Promise<boolean> =>
  checkLoop({ drafts, readBugs }, id, 'depends_on').then(
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
