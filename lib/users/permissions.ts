import { errors } from '../errors.ts';
import type { Settings } from '../settings.ts';
import { type Caller, isInGroup, type User } from './caller.ts';

/** The group of administrators of users, who see all their fields. */
export const EDIT_USERS = 'editusers';
/** The group that may create and update products. */
export const EDIT_COMPONENTS = 'editcomponents';

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
  return requireMember(caller, EDIT_COMPONENTS, 'edit products');
}

/**
 * Lets comment taggers work with tags.
 *
 * @throws errors.loginRequired (401, 410), errors.tagsDisabled (400, 125) where no group is set,
 * errors.notAuthorized (401, 304)
 */
export function requireTagger(caller: Caller, settings: Pick<Settings, 'COMMENT_TAGGERS_GROUP'>): User {
  const user = requireUser(caller);
  if (settings.COMMENT_TAGGERS_GROUP === '') throw errors.tagsDisabled();
  requireMember(caller, settings.COMMENT_TAGGERS_GROUP, 'work with comment tags');
  return user;
}

/** @param action for the text of the error */
function requireMember(caller: Caller, group: string, action: string): User {
  const user = requireUser(caller);
  if (!isInGroup(caller, group)) throw errors.notAuthorized(group, action);
  return user;
}
