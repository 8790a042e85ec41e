import { distinctNames, updatedNames } from '../../base/names.ts';
import { normalizeName } from '../../base/text.ts';
import { parseHours } from '../../base/time.ts';
import { errors } from '../../errors.ts';
import { isCaller } from '../../people/caller.ts';
import type { ComponentItem, ProductWithParts, ReleaseItem } from '../../products/schema.ts';
import { hoursLeft } from '../comments/validation.ts';
import { kindOf, type ParseContext, type StoredValue } from '../fields/kinds.ts';
import type { BugFields } from '../fields/registry.ts';
import { mayChange } from '../permissions.ts';
import type { BugItem } from '../schema.ts';
import { checkPart, checkValue } from '../validation.ts';
import type { Workflow } from '../workflow.ts';
import type { BugUpdate, UpdateContext } from './bug-update.ts';
import { namedBug } from './drafts.ts';
import { changeState } from './status.ts';

type Place = Pick<BugItem, 'product_id' | 'component_id' | 'version' | 'target_milestone'>;

/**
 * Component, version and milestone: a bug that moves has to find them in the other product.
 *
 * @param product of the bug after the change
 * @param home of the bug as it was read; the same for a new bug
 */
export function place(
  bug: BugItem,
  update: BugUpdate,
  product: ProductWithParts,
  home: ProductWithParts,
  isNew: boolean,
): Place {
  const isMoved = product.product.id !== home.product.id;
  const componentName = home.components.find((one) => one.id === bug.component_id)?.name ?? '';
  const part = <T extends ReleaseItem>(
    field: 'component' | 'version' | 'target_milestone',
    parts: readonly T[],
    current: string,
  ): T | undefined => {
    const given = update[field];
    if (given === undefined && !isMoved) return undefined;
    return checkPart(
      field,
      parts,
      given ?? current,
      (name) => (isNew && field === 'target_milestone') || (!isMoved && name === current),
    );
  };
  const { version, target_milestone } = bug;
  return {
    product_id: product.product.id,
    component_id: part('component', product.components, componentName)?.id ?? bug.component_id,
    version: part('version', product.versions, version)?.name ?? version,
    target_milestone:
      part('target_milestone', product.milestones, target_milestone)?.name ?? target_milestone,
  };
}

/** The attributes that a request sets, of the kinds whose values depend on nothing else. */
export function plainValues(
  update: BugUpdate,
  fields: BugFields,
  context: ParseContext,
): Record<string, StoredValue> {
  const given: Readonly<Record<string, unknown>> = { ...update };
  return Object.fromEntries(
    fields.all.flatMap((field): [string, StoredValue][] => {
      const value = given[field.rest ?? ''];
      const attribute = field.stored?.[0];
      if (value === undefined || attribute === undefined) return [];
      if (typeof value === 'boolean') return [[attribute, value]];
      const { parse } = kindOf(field);
      return parse === undefined || typeof value !== 'string'
        ? []
        : [[attribute, parse(value, field, context)]];
    }),
  );
}

/**
 * The remaining hours after a change: of a new bug the estimated hours if there are some, as in Bugzilla; else those of the
 * request, else the current ones less the hours worked (negative work raises them).
 */
export function remainingHours(
  bug: BugItem,
  estimated: number,
  { remaining_time }: BugUpdate,
  isNew: boolean,
  workTime: number,
): number {
  const given = remaining_time === undefined ? undefined : parseHours('remaining_time', remaining_time, 0);
  if (isNew && (estimated > 0 || given === undefined)) return estimated;
  return given ?? hoursLeft(bug, workTime);
}

/**
 * The resolution that a request gives. Beside an open status any is ignored, as in Bugzilla.
 *
 * @param status that the request gives
 * @param staysOpen whether the bug is open, and the request does not close it
 */
function checkResolution(
  given: string | undefined,
  legal: readonly string[],
  status: string | undefined,
  staysOpen: boolean,
  { isOpen }: Workflow,
): string | undefined {
  if (given === undefined || (status !== undefined && isOpen(status))) return undefined;
  const isEmpty = given.replace('---', '').trim() === '';
  return isEmpty && !staysOpen ? '' : checkValue('resolution', legal, given);
}

type State = Pick<BugItem, 'status' | 'resolution' | 'dupe_of' | 'is_confirmed' | 'remaining_time'>;

/**
 * The state of a bug after a change. Closing a bug leaves nothing to be done.
 *
 * @param hasComment whether the request adds a comment
 */
export function state(
  bug: BugItem,
  update: BugUpdate,
  { product }: ProductWithParts,
  { legal, workflow, bugIds, editor }: UpdateContext,
  hasComment: boolean,
): Partial<State> {
  const { status, resolution, dupe_of } = update;
  if (status === undefined && resolution === undefined && dupe_of === undefined) return {};
  if (dupe_of?.trim() === '') throw errors.parameterMissing('dupe_of');
  const nextStatus = status === undefined ? undefined : checkValue('status', workflow.names, status);
  const staysOpen = dupe_of === undefined && workflow.isOpen(nextStatus ?? bug.status);
  const requested = {
    status: nextStatus,
    resolution: checkResolution(resolution, legal.resolution, nextStatus, staysOpen, workflow),
    dupeOf: dupe_of === undefined ? undefined : namedBug(bugIds, dupe_of),
    hasComment,
    duplicateStatus: workflow.duplicateStatus(editor.duplicateStatus),
  };
  const next = changeState(bug, requested, product.has_unconfirmed, workflow);
  if (next.dupe_of === bug.id) throw errors.duplicateLoop(bug.id);
  const isClosed = workflow.isOpen(bug.status) && !workflow.isOpen(next.status);
  return isClosed ? { ...next, remaining_time: 0 } : next;
}

type People = Pick<BugItem, 'assigned_to' | 'qa_contact' | 'cc'>;

/**
 * Assignee, QA contact and CC after a change. Whom a component has on CC by default gets also the bugs that move to it.
 *
 * @param component of the bug after the change
 * @param isNew whether the bug is new: then an unknown user on CC has Bugzilla's other error
 */
export function people(
  bug: BugItem,
  update: BugUpdate,
  component: ComponentItem | undefined,
  isNew: boolean,
  sources: UpdateContext,
): People {
  const { add = [], remove = [] } = update.cc ?? {};
  const isOfOther = isNew || component?.id !== bug.component_id;
  const initial = (isOfOther ? component?.default_cc : undefined) ?? [];
  const unknown = isNew ? errors.ccUnknown : errors.userUnknown;
  const logins = (names: string[]) => distinctNames(names).map((login) => loginOf(login, sources, unknown));
  const [added, removed] = [logins(add), logins(remove)];
  checkRemovedUsers(bug, removed, sources);
  return {
    assigned_to: person('assigned_to', bug, update, component, sources),
    qa_contact: person('qa_contact', bug, update, component, sources),
    cc: updatedNames(bug.cc, { add: [...added, ...initial], remove: removed }),
  };
}

/** Checks the right to remove users from CC, also where they are not on it: as in Bugzilla. */
function checkRemovedUsers(
  bug: BugItem,
  removed: readonly string[],
  { editor, fields, products }: UpdateContext,
): void {
  const others = removed.filter((login) => !isCaller(editor.caller, login));
  const { product } = products.get(bug.product_id) ?? {};
  const mayRemove = mayChange(bug, 'assigned_to', editor, fields, product);
  if (others.length > 0 && !mayRemove) throw errors.ccRemovalDenied();
}

/** The assignee, which every bug has, or the QA contact. */
function person(
  field: 'assigned_to' | 'qa_contact',
  bug: BugItem,
  update: BugUpdate,
  component: ComponentItem | undefined,
  sources: UpdateContext,
): string {
  const given = update[field];
  if (update[`reset_${field}`] === true) return component?.[`default_${field}`] ?? bug[field];
  if (given === undefined) return bug[field];
  if (given.trim() !== '') return loginOf(given, sources, errors.userUnknown);
  if (field === 'assigned_to') throw errors.parameterMissing(field);
  return '';
}

/** The stored spelling of a login. */
function loginOf(given: string, { users }: UpdateContext, unknown: (login: string) => Error): string {
  const user = users.get(normalizeName(given.trim()));
  if (user === undefined) throw unknown(given);
  return user.login;
}
