import { errors } from '../errors.ts';
import type { Settings } from '../settings.ts';
import { type Caller, isInGroup, type User } from './caller.ts';
import { RIGHTS } from './rights.ts';

/** The user behind the caller. */
export function requireUser(caller: Caller): User {
  if (caller.user === undefined) throw errors.loginRequired();
  return caller.user;
}

/**
 * Requires the caller to be in the group that has a right, and returns the user.
 *
 * @param right one of RIGHTS with a fixed group
 */
export function requireRight(caller: Caller, { group, allows }: { group: string; allows: string }): User {
  const user = requireUser(caller);
  if (!isInGroup(caller, group)) throw errors.notAuthorized(group, allows);
  return user;
}

/**
 * Requires the caller to be an administrator of groups or users.
 *
 * @returns whether the caller sees all fields of groups
 */
export function requireGroupViewer(caller: Caller): boolean {
  const isDetailed = isInGroup(caller, RIGHTS.createGroups.group);
  if (!isDetailed && !isInGroup(caller, RIGHTS.editUsers.group)) throw errors.groupsHidden();
  return isDetailed;
}

/** Requires the caller to be in the group of comment taggers. */
export function requireTagger(caller: Caller, settings: Pick<Settings, 'COMMENT_TAGGERS_GROUP'>): User {
  requireUser(caller);
  const { setting, allows } = RIGHTS.taggers;
  if (settings[setting] === '') throw errors.tagsDisabled();
  return requireRight(caller, { group: settings[setting], allows });
}
