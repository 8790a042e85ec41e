import { normalizeName } from '../base/text.ts';
import type { UserItem } from './schema.ts';

/** A user as others see them. */
export interface User {
  id: number;
  login: string;
  realName: string;
  /** whether mails are sent to the user */
  isMailed: boolean;
}

/** Who makes a request: a user with groups, or an anonymous caller. */
export interface Caller {
  /** undefined: anonymous */
  user: User | undefined;
  /** normalized names of the user's groups */
  groups: ReadonlySet<string>;
}

export const anonymous: Caller = { user: undefined, groups: new Set() };

/** Whether the caller is in a group; case is ignored. The group '' has no members: its feature is disabled. */
export function isInGroup(caller: Caller, group: string): boolean {
  return group !== '' && caller.groups.has(normalizeName(group));
}

/** A user as the caller of a request. */
export const callerOf = ({ id, login, real_name, groups, email_enabled = true }: UserItem): Caller => ({
  user: { id, login, realName: real_name, isMailed: email_enabled },
  groups: new Set(groups.map(normalizeName)),
});

/** Whether a login is the caller's. */
export function isCaller({ user }: Caller, login: string): boolean {
  return user !== undefined && normalizeName(user.login) === normalizeName(login);
}
