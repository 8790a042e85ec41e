import { errors } from '../errors.ts';
import { normalizeName } from '../text.ts';
import { type Caller, isInGroup } from '../users/caller.ts';
import type { BugItem } from './schema.ts';

/** Whether the caller may see a bug: in all of its groups, or one of the users who take part in it. */
export function isVisible(bug: BugItem, caller: Caller): boolean {
  if (bug.groups.every((group) => isInGroup(caller, group))) return true;
  if (caller.user === undefined) return false;
  const login = normalizeName(caller.user.login);
  return [bug.reporter, bug.assigned_to, bug.qa_contact, ...bug.cc].some(
    (user) => normalizeName(user) === login,
  );
}

/**
 * A bug that was looked up, if the caller may see it.
 *
 * @param given as the client named it
 * @param id result of BugRepository.idOf
 * @throws errors.bugAliasUnknown (400, 100), errors.bugUnknown (404, 101), errors.bugAccessDenied (401, 102)
 */
export function requireVisible(
  given: string,
  id: number | undefined,
  bug: BugItem | undefined,
  caller: Caller,
): BugItem {
  if (id === undefined) throw errors.bugAliasUnknown(given);
  if (bug === undefined) throw errors.bugUnknown(given);
  if (!isVisible(bug, caller)) throw errors.bugAccessDenied(given);
  return bug;
}
