import { errors } from '../../errors.ts';
import type { ComponentItem } from '../../products/schema.ts';
import { normalizeName } from '../../text.ts';
import type { BugItem } from '../schema.ts';
import type { BugUpdate, ChangeSources } from './bug-update.ts';
import { changedNames, distinctNames } from './drafts.ts';

type People = Pick<BugItem, 'assigned_to' | 'qa_contact' | 'cc'>;

/**
 * Assignee, QA contact and CC after a change.
 *
 * @param component of the bug after the change
 * @param isNew whether the bug is new: then an unknown user on CC has Bugzilla's other error
 * @throws errors.userUnknown (404, 51), errors.ccUnknown (401, 504), errors.parameterMissing (400, 50)
 */
export function people(
  bug: BugItem,
  update: BugUpdate,
  component: ComponentItem | undefined,
  isNew: boolean,
  sources: ChangeSources,
): People {
  const { add = [], remove = [] } = update.cc ?? {};
  const initial = isNew ? (component?.default_cc ?? []) : [];
  const unknown = isNew ? errors.ccUnknown : errors.userUnknown;
  const logins = (names: string[]) => distinctNames(names).map((login) => loginOf(login, sources, unknown));
  return {
    assigned_to: assignee(bug, update, component?.default_assigned_to, sources),
    qa_contact: qaContact(bug, update, component?.default_qa_contact, sources),
    cc: changedNames(bug.cc, { add: [...logins(add), ...initial], remove: logins(remove) }),
  };
}

function assignee(
  bug: BugItem,
  { assigned_to, reset_assigned_to }: BugUpdate,
  fallback: string | undefined,
  sources: ChangeSources,
): string {
  if (reset_assigned_to === true) return fallback ?? bug.assigned_to;
  if (assigned_to === undefined) return bug.assigned_to;
  if (assigned_to.trim() === '') throw errors.parameterMissing('assigned_to');
  return loginOf(assigned_to, sources, errors.userUnknown);
}

function qaContact(
  bug: BugItem,
  { qa_contact, reset_qa_contact }: BugUpdate,
  fallback: string | undefined,
  sources: ChangeSources,
): string {
  if (reset_qa_contact === true) return fallback ?? bug.qa_contact;
  if (qa_contact === undefined) return bug.qa_contact;
  return qa_contact.trim() === '' ? '' : loginOf(qa_contact, sources, errors.userUnknown);
}

/** The stored spelling of a login. */
function loginOf(given: string, { users }: ChangeSources, unknown: (login: string) => Error): string {
  const user = users.get(normalizeName(given.trim()));
  if (user === undefined) throw unknown(given);
  return user.login;
}
