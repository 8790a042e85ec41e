import { distinctById } from '../base/collections.ts';
import { compareNames, isAllDigits, normalizeName, plainId, trim } from '../base/text.ts';
import { errors } from '../errors.ts';
import { type Caller, isCaller, isInGroup, RIGHTS } from './caller.ts';
import { findUsers, membersOf } from './find-users.ts';
import type { UserRepository } from './repository.ts';
import type { UserQuery } from './requests.ts';
import type { GroupItem, UserItem } from './schema.ts';

/** Who a caller is to a user. */
export const viewerOf = ({ login }: UserItem, caller: Caller) => ({
  isAnonymous: caller.user === undefined,
  isOneself: isCaller(caller, login),
  isAdministrator: isInGroup(caller, RIGHTS.editUsers.group),
});
type UserViewer = ReturnType<typeof viewerOf>;

/** Whether a viewer sees all groups of a user. */
export const seesGroups = ({ isOneself, isAdministrator }: UserViewer): boolean =>
  isOneself || isAdministrator;

/** A user in the interface: the more, the closer the viewer is. */
export function presentUser(
  user: UserItem,
  groups: readonly GroupItem[],
  viewer: UserViewer,
  searches: readonly { id: number; name: string; query: string }[],
): Record<string, unknown> {
  const known = { id: user.id, name: user.login, real_name: user.real_name };
  if (viewer.isAnonymous) return known;
  const shown = seesGroups(viewer) ? groups.toSorted((a, b) => compareNames(a.name, b.name)) : [];
  return {
    ...known,
    email: user.login,
    can_login: user.disabled === undefined,
    groups: shown.map(({ id, name, description }) => ({ id, name, description })),
    ...(viewer.isOneself
      ? { saved_searches: searches.map(({ id, name, query }) => ({ id, name, query })), saved_reports: [] }
      : {}),
    ...(viewer.isAdministrator
      ? { email_enabled: user.email_enabled ?? true, login_denied_text: user.disabled ?? '' }
      : {}),
  };
}

/** They are looked up before it is known whether the caller may list their members. */
const MAX_REQUESTED_GROUPS = 100;

/** The users that a request asks for, each once. Anonymous callers may ask for logins only. Unknown ids are left out. */
export async function requestedUsers(
  users: UserRepository,
  request: UserQuery,
  caller: Caller,
): Promise<UserItem[]> {
  const { ids, names, match, limit = '', include_disabled = false } = request;
  const isNamed = ids.length + names.length > 0 || match !== undefined;
  const hasGroups = request.groups.length + request.group_ids.length > 0;
  if (!isNamed && !hasGroups) throw errors.parameterMissing('ids');
  if (caller.user === undefined && (ids.length > 0 || names.length === 0)) throw errors.userHidden();
  const byLogin = await users.byLogins(names.map(trim));
  const named = names.map((login) => {
    const user = byLogin.get(normalizeName(trim(login)));
    if (user === undefined) throw errors.userUnknown(login);
    return user;
  });
  const wrong = ids.find((id) => !isAllDigits(id));
  if (wrong !== undefined) throw errors.parameterNotInteger('ids', wrong);
  const byId = await users.byIds(ids.map(Number));
  const max = limit === '' ? 0 : plainId(limit);
  if (max === undefined) throw errors.parameterNotInteger('limit', limit);
  const groups = await listableGroups(users, request, caller);
  const isListed = hasGroups && (match !== undefined || !isNamed);
  const members = isListed ? [...(await membersOf(users, groups)).values()].flat() : undefined;
  if (!isNamed && members !== undefined) {
    const shown = distinctById(members).filter(({ disabled }) => include_disabled || disabled === undefined);
    return max === 0 ? shown : shown.slice(0, max);
  }
  const matching = await findUsers(users, match ?? [], max, include_disabled, members);
  const isMember = (user: UserItem) => user.groups.some((group) => groups.includes(normalizeName(group)));
  return distinctById([...named, ...byId, ...matching]).filter((user) => !hasGroups || isMember(user));
}

/**
 * The groups that a request names, whose members are known to each other and to administrators of users.
 *
 * @returns normalized names
 */
async function listableGroups(
  users: UserRepository,
  { groups, group_ids }: Pick<UserQuery, 'groups' | 'group_ids'>,
  caller: Caller,
): Promise<string[]> {
  if (groups.length + group_ids.length > MAX_REQUESTED_GROUPS)
    throw errors.requestTooLarge(`at most ${MAX_REQUESTED_GROUPS} groups`);
  const numbers = group_ids.map((id) => {
    const number = plainId(id);
    if (number === undefined) throw errors.parameterNotInteger('group_ids', id);
    return number;
  });
  const groupNames = await users.groupNames(numbers);
  const known = new Set(
    (await users.groups([...groups, ...groupNames.values()])).map(({ name }) => normalizeName(name)),
  );
  const isListable = (name: string) =>
    known.has(normalizeName(name)) && (isInGroup(caller, RIGHTS.editUsers.group) || isInGroup(caller, name));
  const given = [
    ...groups.map((name) => ({ name, shown: name })),
    ...numbers.map((id) => ({ name: groupNames.get(id) ?? '', shown: String(id) })),
  ];
  const hidden = given.find(({ name }) => !isListable(name));
  if (hidden !== undefined) throw errors.groupHidden(hidden.shown);
  return given.map(({ name }) => normalizeName(name));
}

/** The groups that Bugzilla has of its own; others restrict bugs. */
const SYSTEM_GROUPS: ReadonlySet<string> = new Set([
  'admin',
  'bz_canusewhineatothers',
  'bz_canusewhines',
  'bz_quip_moderators',
  'bz_sudo_protect',
  'bz_sudoers',
  'canconfirm',
  'creategroups',
  'editbugs',
  'editclassifications',
  'editcomponents',
  'editkeywords',
  'editusers',
  'tweakparams',
]);

/** Whether a group restricts bugs and products, rather than giving a right of Bugzilla. */
export const isBugGroup = ({ name }: Pick<GroupItem, 'name'>): boolean => !SYSTEM_GROUPS.has(name);

/**
 * A group in the interface.
 *
 * @param isDetailed whether the caller administrates groups
 * @param members absent: not requested
 */
export const presentGroup = (
  group: GroupItem,
  isDetailed: boolean,
  members?: readonly UserItem[],
): Record<string, unknown> => ({
  id: group.id,
  name: group.name,
  description: group.description,
  ...(isDetailed
    ? {
        is_active: group.is_active ?? true,
        is_bug_group: isBugGroup(group),
        user_regexp: group.user_regexp ?? '',
      }
    : {}),
  ...(members === undefined ? {} : { membership: members.map(presentMember) }),
});

const presentMember = (user: UserItem): Record<string, unknown> => ({
  id: user.id,
  real_name: user.real_name,
  name: user.login,
  email: user.login,
  can_login: user.disabled === undefined,
  email_enabled: user.email_enabled ?? true,
  login_denied_text: user.disabled ?? '',
});
