import { errors } from '../../errors.ts';
import type { ComponentItem } from '../../products/schema.ts';
import { normalizeName } from '../../text.ts';
import { changedNames, distinctNames } from '../drafts.ts';
import type { BugItem } from '../schema.ts';
import type { BugUpdate, Fields, UpdateSources } from './bug-update.ts';

/** @param component of the bug after the change */
export function people(
  bug: BugItem,
  update: BugUpdate,
  component: ComponentItem | undefined,
  sources: UpdateSources,
): Fields {
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
