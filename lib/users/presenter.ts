import { compareNames } from '../text.ts';
import { type Caller, isInGroup } from './caller.ts';
import { RIGHTS } from './rights.ts';
import type { GroupItem, UserItem } from './schema.ts';

/** Who looks at a user. */
type Viewer = 'anonymous' | 'other' | 'oneself' | 'administrator';

/** Who a caller is to a user. */
export function viewerOf(user: UserItem, caller: Caller): Viewer {
  if (caller.user === undefined) return 'anonymous';
  if (isInGroup(caller, RIGHTS.editUsers.group)) return 'administrator';
  return caller.user.id === user.id ? 'oneself' : 'other';
}

/** A user in the interface: the more, the closer the viewer is. */
export function presentUser(
  user: UserItem,
  groups: readonly GroupItem[],
  viewer: Viewer,
): Record<string, unknown> {
  const known = { id: user.id, name: user.login, real_name: user.real_name };
  if (viewer === 'anonymous') return known;
  const shown = viewer === 'other' ? [] : groups.toSorted((a, b) => compareNames(a.name, b.name));
  return {
    ...known,
    email: user.login,
    can_login: user.disabled === undefined,
    groups: shown.map(({ id, name, description }) => ({ id, name, description })),
    ...(viewer === 'oneself' ? { saved_searches: [], saved_reports: [] } : {}),
    ...(viewer === 'administrator'
      ? { email_enabled: user.email_enabled ?? true, login_denied_text: user.disabled ?? '' }
      : {}),
  };
}
