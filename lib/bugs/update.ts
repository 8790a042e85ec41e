import { errors } from '../errors.ts';
import type { ProductWithParts } from '../products/schema.ts';
import { normalizeName } from '../text.ts';
import type { Caller } from '../users/caller.ts';
import type { UserItem } from '../users/schema.ts';
import { type BugDrafts, changedNames, type DependencyField, distinctNames } from './drafts.ts';
import type { BugItem, KeywordItem } from './schema.ts';
import { bugUrl, readSeeAlso } from './see-also.ts';
import {
  checkAddedGroup,
  checkAliases,
  checkComponent,
  checkMilestone,
  checkRemovedGroup,
  checkSummary,
  checkText,
  checkValue,
  checkVersion,
  mandatoryGroups,
  parseDeadline,
  parseHours,
  validGroups,
} from './validation.ts';
import type { LegalValues } from './values.ts';
import { changeState, isOpenStatus, STATUSES } from './workflow.ts';

/** How a list changes; `set` replaces it. */
export interface ListUpdate {
  add: string[];
  remove: string[];
  set?: string[] | undefined;
}

type Given = string | undefined;

/** What a request changes of bugs, under the names of the interface; absent: nothing. */
export interface BugUpdate {
  alias?: ListUpdate | undefined;
  assigned_to?: Given;
  blocks?: ListUpdate | undefined;
  cc?: ListUpdate | undefined;
  component?: Given;
  deadline?: Given;
  depends_on?: ListUpdate | undefined;
  dupe_of?: Given;
  estimated_time?: Given;
  groups?: ListUpdate | undefined;
  is_cc_accessible?: boolean | undefined;
  is_creator_accessible?: boolean | undefined;
  keywords?: ListUpdate | undefined;
  op_sys?: Given;
  platform?: Given;
  priority?: Given;
  product?: Given;
  qa_contact?: Given;
  remaining_time?: Given;
  reset_assigned_to?: boolean | undefined;
  reset_qa_contact?: boolean | undefined;
  resolution?: Given;
  see_also?: ListUpdate | undefined;
  severity?: Given;
  status?: Given;
  summary?: Given;
  target_milestone?: Given;
  url?: Given;
  version?: Given;
  whiteboard?: Given;
}

/** What a change of bugs is computed from, as far as it needs it. */
export interface UpdateSources {
  caller: Caller;
  legal: LegalValues;
  /** by id */
  products: ReadonlyMap<number, ProductWithParts>;
  /** the product that bugs are moved to */
  target: ProductWithParts | undefined;
  /** by normalized login */
  users: ReadonlyMap<string, UserItem>;
  /** by normalized name */
  keywords: ReadonlyMap<string, KeywordItem>;
  /** ids of bugs as the request names them */
  bugIds: ReadonlyMap<string, number>;
  /** address of this deployment */
  base: string;
  /** hours worked that come with the change */
  workTime: number;
}

/**
 * Changes a bug, and the bugs at the other ends of its dependencies and of its `see_also`.
 *
 * @param drafts has the bug, and every bug that the change concerns
 * @throws errors of 50 to 56 for values, 103 for aliases, 104 to 107, 112, 118 to 123
 */
export function applyUpdate(drafts: BugDrafts, id: number, update: BugUpdate, sources: UpdateSources): void {
  const bug = drafts.get(id);
  const home = bug === undefined ? undefined : sources.products.get(bug.product_id);
  if (bug === undefined || home === undefined) throw errors.bugUnknown(String(id));
  const product = sources.target ?? home;
  drafts.change(id, {
    ...place(bug, update, product, home),
    ...texts(bug, update),
    ...choices(update, sources.legal),
    ...people(bug, update, product, sources),
    ...hours(bug, update, sources.workTime),
    ...state(bug, update, product, sources),
    is_creator_accessible: update.is_creator_accessible ?? bug.is_creator_accessible,
    is_cc_accessible: update.is_cc_accessible ?? bug.is_cc_accessible,
    aliases: aliases(bug, update.alias),
    keywords: keywords(bug, update.keywords, sources),
    groups: groups(bug, update.groups, product, home, sources.caller),
  });
  for (const field of ['blocks', 'depends_on'] as const) relate(drafts, id, field, update[field], sources);
  seeAlso(drafts, id, update.see_also, sources);
}

type Fields = Partial<BugItem>;

/** Component, version and milestone: a bug that moves has to find them in the other product. */
function place(bug: BugItem, update: BugUpdate, product: ProductWithParts, home: ProductWithParts): Fields {
  const isMoved = product.product.id !== home.product.id;
  const isTouched = [update.component, update.version, update.target_milestone].some(
    (given) => given !== undefined,
  );
  if (!isMoved && !isTouched) return {};
  const componentName = home.components.find((one) => one.id === bug.component_id)?.name ?? '';
  const wanted = <T>(given: Given, current: string, check: (name: string) => T): T | undefined =>
    given === undefined && !isMoved ? undefined : check(given ?? current);
  const component = wanted(update.component, componentName, (name) =>
    checkComponent(product, name, isMoved ? undefined : bug.component_id),
  );
  const version = wanted(update.version, bug.version, (name) =>
    checkVersion(product, name, isMoved ? undefined : bug.version),
  );
  const milestone = wanted(update.target_milestone, bug.target_milestone, (name) =>
    checkMilestone(product, name),
  );
  return {
    product_id: product.product.id,
    component_id: component?.id ?? bug.component_id,
    version: version ?? bug.version,
    target_milestone: milestone ?? bug.target_milestone,
  };
}

function texts(bug: BugItem, { summary, whiteboard, url, deadline }: BugUpdate): Fields {
  return {
    summary: summary === undefined ? bug.summary : checkSummary(summary),
    whiteboard: whiteboard === undefined ? bug.whiteboard : checkText('whiteboard', whiteboard),
    url: url === undefined ? bug.url : checkText('url', url.trim()),
    deadline: deadline === undefined ? bug.deadline : parseDeadline(deadline),
  };
}

function choices(update: BugUpdate, legal: LegalValues): Fields {
  const fields = ['priority', 'severity', 'platform', 'op_sys'] as const;
  return Object.fromEntries(
    fields.flatMap((field) => {
      const given = update[field];
      return given === undefined ? [] : [[field, checkValue(field, legal[field], given)]];
    }),
  );
}

function people(bug: BugItem, update: BugUpdate, product: ProductWithParts, sources: UpdateSources): Fields {
  const component =
    update.component === undefined
      ? product.components.find(({ id }) => id === bug.component_id)
      : checkComponent(product, update.component, bug.component_id);
  const { add = [], remove = [] } = update.cc ?? {};
  return {
    assigned_to: assignee(bug, update, component?.default_assigned_to, sources),
    qa_contact: qaContact(bug, update, component?.default_qa_contact, sources),
    cc: changedNames(bug.cc, {
      add: distinctNames(add).map((login) => loginOf(login, sources)),
      remove: distinctNames(remove).map((login) => loginOf(login, sources)),
    }),
  };
}

function assignee(
  bug: BugItem,
  { assigned_to, reset_assigned_to }: BugUpdate,
  fallback: string | undefined,
  sources: UpdateSources,
): string {
  if (reset_assigned_to === true) return fallback ?? bug.assigned_to;
  if (assigned_to === undefined) return bug.assigned_to;
  if (assigned_to.trim() === '') throw errors.parameterMissing('assigned_to');
  return loginOf(assigned_to, sources);
}

function qaContact(
  bug: BugItem,
  { qa_contact, reset_qa_contact }: BugUpdate,
  fallback: string | undefined,
  sources: UpdateSources,
): string {
  if (reset_qa_contact === true) return fallback ?? bug.qa_contact;
  if (qa_contact === undefined) return bug.qa_contact;
  return qa_contact.trim() === '' ? '' : loginOf(qa_contact, sources);
}

/** The stored spelling of a login. */
function loginOf(given: string, { users }: UpdateSources): string {
  const user = users.get(normalizeName(given.trim()));
  if (user === undefined) throw errors.userUnknown(given);
  return user.login;
}

/** Work lowers what remains to be done, unless the request says what remains. */
function hours(bug: BugItem, { estimated_time, remaining_time }: BugUpdate, workTime: number): Fields {
  const left = Math.max(0, Number((bug.remaining_time - workTime).toFixed(2)));
  return {
    estimated_time:
      estimated_time === undefined ? bug.estimated_time : parseHours('estimated_time', estimated_time),
    remaining_time:
      remaining_time === undefined
        ? workTime === 0
          ? bug.remaining_time
          : left
        : parseHours('remaining_time', remaining_time),
  };
}

/** Closing a bug leaves nothing to be done. */
function state(
  bug: BugItem,
  update: BugUpdate,
  { product }: ProductWithParts,
  sources: UpdateSources,
): Fields {
  const { status, resolution, dupe_of } = update;
  if (status === undefined && resolution === undefined && dupe_of === undefined) return {};
  if (dupe_of?.trim() === '') throw errors.parameterMissing('dupe_of');
  const dupeOf = dupe_of === undefined ? undefined : sources.bugIds.get(dupe_of);
  const wanted = {
    status: status === undefined ? undefined : checkValue('status', STATUSES, status),
    resolution:
      resolution === undefined || resolution.trim() === ''
        ? resolution?.trim()
        : checkValue('resolution', sources.legal.resolution, resolution),
    dupeOf,
  };
  const next = changeState(bug, wanted, product.has_unconfirmed);
  if (next.dupe_of === bug.id) throw errors.duplicateLoop(bug.id);
  const isClosed = isOpenStatus(bug.status) && !isOpenStatus(next.status);
  return isClosed ? { ...next, remaining_time: 0 } : next;
}

function aliases(bug: BugItem, update: ListUpdate | undefined): string[] {
  if (update === undefined) return bug.aliases;
  const { add, remove, set } = update;
  return set === undefined
    ? changedNames(bug.aliases, { add: checkAliases(add), remove })
    : checkAliases(set);
}

function keywords(bug: BugItem, update: ListUpdate | undefined, sources: UpdateSources): string[] {
  if (update === undefined) return bug.keywords;
  const known = (names: string[]) =>
    distinctNames(names).map((name) => {
      const keyword = sources.keywords.get(normalizeName(name));
      if (keyword === undefined) throw errors.valueUnknown('keyword', name);
      return keyword.name;
    });
  const { add, remove, set } = update;
  return set === undefined
    ? changedNames(bug.keywords, { add: known(add), remove: known(remove) })
    : known(set);
}

/** A bug that moves leaves the groups that the other product does not have. */
function groups(
  bug: BugItem,
  update: ListUpdate | undefined,
  { product }: ProductWithParts,
  home: ProductWithParts,
  caller: Caller,
): string[] {
  const { add = [], remove = [] } = update ?? {};
  const added = distinctNames(add).map((name) => checkAddedGroup(product, name, caller));
  for (const name of distinctNames(remove)) checkRemovedGroup(home.product, bug.groups, name, caller);
  const isMoved = product.id !== home.product.id;
  const valid = new Set(validGroups(product).map(normalizeName));
  const kept = isMoved ? bug.groups.filter((name) => valid.has(normalizeName(name))) : bug.groups;
  const mandatory = isMoved ? mandatoryGroups(product) : [];
  return changedNames(kept, { add: [...added, ...mandatory], remove });
}

function relate(
  drafts: BugDrafts,
  id: number,
  field: DependencyField,
  update: ListUpdate | undefined,
  { bugIds }: UpdateSources,
): void {
  const current = drafts.get(id)?.[field] ?? [];
  if (update === undefined) return;
  const idsOf = (names: string[]) => distinctNames(names).flatMap((name) => bugIds.get(name) ?? []);
  const { add, remove, set } = update;
  const removed = new Set(idsOf(remove));
  const wanted =
    set === undefined ? [...current.filter((one) => !removed.has(one)), ...idsOf(add)] : idsOf(set);
  if (wanted.includes(id)) throw errors.dependencyLoop(id);
  drafts.relate(id, field, current, wanted);
}

/** A bug of this deployment gets the address of the other one, too. */
function seeAlso(
  drafts: BugDrafts,
  id: number,
  update: ListUpdate | undefined,
  { base, bugIds }: UpdateSources,
): void {
  if (update === undefined) return;
  const read = (given: string) => {
    const named = readSeeAlso(given, base);
    const other = 'bug' in named ? bugIds.get(named.bug) : undefined;
    return { other, url: 'url' in named ? named.url : bugUrl(base, other ?? 0) };
  };
  const added = distinctNames(update.add).map(read);
  const current = drafts.get(id)?.see_also ?? [];
  const removed = new Set(distinctNames(update.remove));
  const gone = current.filter((url) => removed.has(url));
  const urls = [...current.filter((url) => !removed.has(url)), ...added.map(({ url }) => url)];
  drafts.change(id, { see_also: [...new Set(urls)] });
  for (const { other } of added) link(drafts, other, [...(seeAlsoOf(drafts, other) ?? []), bugUrl(base, id)]);
  for (const url of gone.filter((one) => one.startsWith(base))) {
    const other = Number(/id=(\d+)$/.exec(url)?.[1]);
    link(
      drafts,
      other,
      seeAlsoOf(drafts, other)?.filter((one) => one !== bugUrl(base, id)),
    );
  }
}

const seeAlsoOf = (drafts: BugDrafts, id: number | undefined): string[] | undefined =>
  id === undefined ? undefined : drafts.get(id)?.see_also;

function link(drafts: BugDrafts, id: number | undefined, urls: string[] | undefined): void {
  if (id !== undefined && urls !== undefined) drafts.change(id, { see_also: [...new Set(urls)] });
}
