import { errors } from '../errors.ts';

/** A user as others see them. */
export interface User {
  id: number;
  login: string;
  realName: string;
}

/** Who makes a request: a user with groups, or nobody in particular. */
export interface Caller {
  /** undefined: anonymous */
  user: User | undefined;
  /** names of the groups that the user is in */
  groups: ReadonlySet<string>;
}

export const anonymous: Caller = { user: undefined, groups: new Set() };

/** Whether the caller is in a group; a group whose name is empty is switched off, and nobody is in it. */
export function isInGroup(caller: Caller, group: string): boolean {
  return group !== '' && caller.groups.has(group);
}

/**
 * Lets only members of a group on.
 *
 * @param action what they want to do, for the error's text
 * @throws errors.notAuthorized (401, 304); REFERENCE.md 3
 */
export function requireGroup(caller: Caller, group: string, action: string): void {
  if (!isInGroup(caller, group)) throw errors.notAuthorized(group, action);
}

/**
 * The user behind the caller.
 *
 * @throws errors.loginRequired (401, 410) for anonymous callers; REFERENCE.md 3
 */
export function requireUser(caller: Caller): User {
  if (caller.user === undefined) throw errors.loginRequired();
  return caller.user;
}

/** The group that may create and change products. REFERENCE.md 3. */
export const EDIT_COMPONENTS = 'editcomponents';
