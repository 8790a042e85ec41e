import { distinctNames, updatedNames } from '../../base/names.ts';
import { normalizeName } from '../../base/text.ts';
import { parseHours } from '../../base/time.ts';
import { errors } from '../../errors.ts';
import { isCaller } from '../../people/caller.ts';
import type { ComponentItem, ReleaseItem } from '../../products/schema.ts';
import { hoursLeft } from '../comments/validation.ts';
import { kindOf, type StoredValue } from '../fields/kinds.ts';
import { mayChange } from '../permissions.ts';
import { checkValue } from '../validation.ts';
import type { OwnUpdate, UpdateContext } from './bug-update.ts';

/** Component, version and milestone: a bug that moves has to find them in the other product. */
export function place({ bug, update, product, home, isNew }: OwnUpdate) {
  const isMoved = product.product.id !== home.product.id;
  const componentName = home.components.find((one) => one.id === bug.component_id)?.name ?? '';
  const part = <T extends ReleaseItem>(
    field: 'component' | 'version' | 'target_milestone',
    parts: readonly T[],
    current: string,
  ): T | undefined => {
    const given = update[field];
    if (given === undefined && !isMoved) return undefined;
    const wanted = given ?? current;
    if (field === 'component' && wanted.trim() === '') throw errors.componentMissing();
    const names = parts.map(({ name }) => name);
    const name = checkValue(field, names, wanted);
    const found = parts.find((one) => one.name === name);
    const mayBeInactive = (isNew && field === 'target_milestone') || (!isMoved && name === current);
    if (found?.is_active !== true && !mayBeInactive) throw errors.valueInactive(field, name);
    return found;
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
export function plainValues(context: UpdateContext): Record<string, StoredValue> {
  const { update, fields } = context;
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
export function remainingHours({ bug, update, isNew, workTime }: OwnUpdate, estimated: number): number {
  const { remaining_time } = update;
  const given = remaining_time === undefined ? undefined : parseHours('remaining_time', remaining_time, 0);
  if (isNew && (estimated > 0 || given === undefined)) return estimated;
  return given ?? hoursLeft(bug, workTime);
}

/**
 * Assignee, QA contact and CC after a change. Whom a component has on CC by default gets also the bugs that move to it.
 * An unknown user on CC of a new bug has Bugzilla's other error.
 *
 * @param component of the bug after the change
 */
export function people(own: OwnUpdate, component: ComponentItem | undefined) {
  const { bug, update, isNew } = own;
  const { add = [], remove = [] } = update.cc ?? {};
  const isOfOther = isNew || component?.id !== bug.component_id;
  const initial = (isOfOther ? component?.default_cc : undefined) ?? [];
  const unknown = isNew ? errors.ccUnknown : errors.userUnknown;
  const logins = (names: string[]) => distinctNames(names).map((login) => loginOf(login, own, unknown));
  const [added, removed] = [logins(add), logins(remove)];
  checkRemovedUsers(own, removed);
  return {
    assigned_to: person('assigned_to', own, component),
    qa_contact: person('qa_contact', own, component),
    cc: updatedNames(bug.cc, { add: [...added, ...initial], remove: removed }),
  };
}

/** Checks the right to remove users from CC, also where they are not on it: as in Bugzilla. */
function checkRemovedUsers({ bug, editor, fields, home }: OwnUpdate, removed: readonly string[]): void {
  const others = removed.filter((login) => !isCaller(editor.caller, login));
  const mayRemove = mayChange(bug, 'assigned_to', editor, fields, home.product);
  if (others.length > 0 && !mayRemove) throw errors.ccRemovalDenied();
}

/** The assignee, which every bug has, or the QA contact. */
function person(
  field: 'assigned_to' | 'qa_contact',
  own: OwnUpdate,
  component: ComponentItem | undefined,
): string {
  const { bug, update } = own;
  const given = update[field];
  if (update[`reset_${field}`] === true) return component?.[`default_${field}`] ?? bug[field];
  if (given === undefined) return bug[field];
  if (given.trim() !== '') return loginOf(given, own, errors.userUnknown);
  if (field === 'assigned_to') throw errors.parameterMissing(field);
  return '';
}

/** The stored spelling of a login. */
function loginOf(given: string, { users }: UpdateContext, unknown: (login: string) => Error): string {
  const user = users.get(normalizeName(given.trim()));
  if (user === undefined) throw unknown(given);
  return user.login;
}
