import { normalizeName } from '../base/text.ts';
import { errors } from '../errors.ts';
import type { Settings } from '../settings.ts';
import { type GroupSettings, RIGHTS } from './rights.ts';
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

/** The names of rights in the interface. */
const NAMES = {
  edit_components: RIGHTS.editComponents,
  edit_bugs: RIGHTS.editBugs,
  can_confirm: RIGHTS.canConfirm,
  edit_users: RIGHTS.editUsers,
  create_groups: RIGHTS.createGroups,
  insider: RIGHTS.insiders,
  time_tracker: RIGHTS.timeTrackers,
  comment_tagger: RIGHTS.taggers,
  read_audit: RIGHTS.readAudit,
} as const;
type RightName = keyof typeof NAMES;

/** The rights of a caller, by their names in the interface. functions/README.md 8 */
export function rightsOf(caller: Caller, settings: GroupSettings): Record<RightName, boolean> {
  const has = (name: RightName): boolean => {
    const right = NAMES[name];
    return isInGroup(caller, 'group' in right ? right.group : settings[right.setting]);
  };
  return {
    edit_components: has('edit_components'),
    edit_bugs: has('edit_bugs'),
    can_confirm: has('can_confirm'),
    edit_users: has('edit_users'),
    create_groups: has('create_groups'),
    insider: has('insider'),
    time_tracker: has('time_tracker'),
    comment_tagger: has('comment_tagger'),
    read_audit: has('read_audit'),
  };
}
