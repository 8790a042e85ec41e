import { normalizeName } from '../text.ts';
import { type Caller, isInGroup } from '../users/caller.ts';
import type { BugItem } from './schema.ts';

/** Whether the caller may see a bug: in all of its groups, or one of its people. REFERENCE.md 5. */
export function isVisible(bug: BugItem, caller: Caller): boolean {
  if (bug.groups.every((group) => isInGroup(caller, group))) return true;
  if (caller.user === undefined) return false;
  const login = normalizeName(caller.user.login);
  return [bug.reporter, bug.assigned_to, bug.qa_contact, ...bug.cc].some(
    (person) => normalizeName(person) === login,
  );
}
