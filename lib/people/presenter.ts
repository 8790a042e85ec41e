import { compareNames } from '../base/text.ts';
import { type Caller, isCaller, isInGroup } from './caller.ts';
import { RIGHTS } from './rights.ts';
import type { GroupItem, UserItem } from './schema.ts';
import { OWN_FIELDS, PUBLIC_FIELDS, shownValues } from './user-fields.ts';

/** Who looks at a user. */
interface UserViewer {
  isAnonymous: boolean;
  isOneself: boolean;
  isAdministrator: boolean;
}

/** What is shown of a saved search. */
interface ShownSearch {
  id: number;
  name: string;
  query: string;
}

/** Who a caller is to a user. */
export const viewerOf = ({ login }: UserItem, caller: Caller): UserViewer => ({
  isAnonymous: caller.user === undefined,
  isOneself: isCaller(caller, login),
  isAdministrator: isInGroup(caller, RIGHTS.editUsers.group),
});

/** Whether a viewer sees all groups of a user. */
export const seesGroups = ({ isOneself, isAdministrator }: UserViewer): boolean =>
  isOneself || isAdministrator;

/** A user in the interface: the more, the closer the viewer is. */
export function presentUser(
  user: UserItem,
  groups: readonly GroupItem[],
  viewer: UserViewer,
  searches: readonly ShownSearch[],
): Record<string, unknown> {
  const known = { id: user.id, name: user.login, ...shownValues(PUBLIC_FIELDS, user) };
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
      ? { ...shownValues(OWN_FIELDS, user), login_denied_text: user.disabled ?? '' }
      : {}),
  };
}
