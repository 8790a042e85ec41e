import { errors } from '../errors.ts';
import type { Settings } from '../settings.ts';
import { type Caller, isInGroup, type User } from './caller.ts';
import { RIGHTS } from './rights.ts';

/**
 * The user behind the caller.
 *
 * @throws errors.loginRequired (401, 410) for anonymous callers
 */
export function requireUser(caller: Caller): User {
  if (caller.user === undefined) throw errors.loginRequired();
  return caller.user;
}

/**
 * Lets users edit products who are in the group for it.
 *
 * @throws errors.loginRequired (401, 410), errors.notAuthorized (401, 304)
 */
export function requireEditor(caller: Caller): User {
  return requireMember(caller, RIGHTS.editComponents.group, RIGHTS.editComponents.allows);
}

/**
 * Lets administrators of users work with them.
 *
 * @throws errors.loginRequired (401, 410), errors.notAuthorized (401, 304)
 */
export function requireUserEditor(caller: Caller): User {
  return requireMember(caller, RIGHTS.editUsers.group, RIGHTS.editUsers.allows);
}

/**
 * Lets administrators of groups work with them.
 *
 * @throws errors.loginRequired (401, 410), errors.notAuthorized (401, 304)
 */
export function requireGroupEditor(caller: Caller): User {
  return requireMember(caller, RIGHTS.createGroups.group, RIGHTS.createGroups.allows);
}

/**
 * Lets comment taggers work with tags.
 *
 * @throws errors.loginRequired (401, 410), errors.tagsDisabled (400, 125) where no group is set,
 * errors.notAuthorized (401, 304)
 */
export function requireTagger(caller: Caller, settings: Pick<Settings, 'COMMENT_TAGGERS_GROUP'>): User {
  requireUser(caller);
  if (settings[RIGHTS.taggers.setting] === '') throw errors.tagsDisabled();
  return requireMember(caller, settings[RIGHTS.taggers.setting], RIGHTS.taggers.allows);
}

/** @param action for the text of the error */
function requireMember(caller: Caller, group: string, action: string): User {
  const user = requireUser(caller);
  if (!isInGroup(caller, group)) throw errors.notAuthorized(group, action);
  return user;
}
