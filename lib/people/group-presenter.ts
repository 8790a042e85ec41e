import type { GroupItem, UserItem } from './schema.ts';

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
