import { distinctNames, updatedNames } from '../../base/names.ts';
import { normalizeName } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import { isCaller } from '../../people/caller.ts';
import type { ComponentItem } from '../../products/schema.ts';
import { mayChange } from '../permissions.ts';
import type { BugItem } from '../schema.ts';
import type { BugUpdate, UpdateContext } from './bug-update.ts';

type People = Pick<BugItem, 'assigned_to' | 'qa_contact' | 'cc'>;

/**
 * Assignee, QA contact and CC after a change.
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
  const initial = isNew ? (component?.default_cc ?? []) : [];
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
