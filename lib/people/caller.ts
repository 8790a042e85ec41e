import { normalizeName } from '../base/text.ts';
import { errors } from '../errors.ts';
import type { Settings } from '../settings.ts';
import type { UserItem } from './schema.ts';

export const GROUP_SETTINGS = [
  'INSIDER_GROUP',
  'TIMETRACKING_GROUP',
  'COMMENT_TAGGERS_GROUP',
  'WEBHOOKS_GROUP',
] as const;
type GroupSetting = (typeof GROUP_SETTINGS)[number];
/** The names of these groups in a deployment. */
export type GroupSettings = Pick<Settings, GroupSetting>;

/** Every group with a meaning, and what its members may do. */
export const RIGHTS = {
  editComponents: { group: 'editcomponents', allows: 'edit products' },
  editKeywords: { group: 'editkeywords', allows: 'create and change keywords' },
  editBugs: { group: 'editbugs', allows: 'change every bug that they see' },
  canConfirm: { group: 'canconfirm', allows: 'confirm bugs' },
  editUsers: { group: 'editusers', allows: 'create, change and see all fields of users' },
  createGroups: { group: 'creategroups', allows: 'create and change groups' },
  readAudit: { group: 'admin', allows: 'read the audit log' },
  insiders: { setting: 'INSIDER_GROUP', allows: 'see and write private comments' },
  timeTrackers: { setting: 'TIMETRACKING_GROUP', allows: 'see and change times' },
  taggers: { setting: 'COMMENT_TAGGERS_GROUP', allows: 'work with comment tags' },
  webhookReaders: { setting: 'WEBHOOKS_GROUP', allows: 'see the whole URLs of webhooks' },
} as const satisfies Record<string, { allows: string } & ({ group: string } | { setting: GroupSetting })>;

/** The names of these groups in a deployment, without those that are off. */
export const rightsGroups = (settings: GroupSettings): string[] =>
  Object.values(RIGHTS)
    .map((right) => ('group' in right ? right.group : settings[right.setting]))
    .filter((name) => name !== '');

/**
 * Whether a group of a Bugzilla gives rights, here or there: one of these groups, whatever the deployment calls it, or one of
 * Bugzilla's own for editors.
 */
export function givesRights(settings: GroupSettings): (group: string) => boolean {
  const names = new Set(rightsGroups(settings).map(normalizeName));
  return (group) => names.has(normalizeName(group)) || normalizeName(group).startsWith('edit');
}

/** A user without what says what they may do. */
export type User = Omit<UserItem, 'groups' | 'disabled' | 'bless_groups'>;

/** Who makes a request: a user with groups, or an anonymous caller. */
export interface Caller {
  /** undefined: anonymous */
  user: User | undefined;
  /** normalized names of the user's groups */
  groups: ReadonlySet<string>;
  /** normalized names of the groups, of the caller or not, that new bugs do not get; absent: none */
  inactiveGroups?: ReadonlySet<string>;
}

export const anonymous: Caller = { user: undefined, groups: new Set() };

/** Whether the caller is in a group; case is ignored. The group '' has no members: its feature is disabled. */
export function isInGroup(caller: Caller, group: string): boolean {
  return group !== '' && caller.groups.has(normalizeName(group));
}

/** A user, with all groups, as the caller of a request. */
export const callerOf = (
  { groups, disabled: _, bless_groups: __, ...user }: UserItem,
  inactiveGroups?: ReadonlySet<string>,
): Caller => ({
  user,
  groups: new Set(groups.map(normalizeName)),
  ...(inactiveGroups && { inactiveGroups }),
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
