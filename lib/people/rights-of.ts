import { type Caller, type GroupSettings, isInGroup, RIGHTS } from './caller.ts';

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

/**
 * The rights of a caller, by their names in the interface. functions/README.md 8
 *
 * @param isGranted whether a right, by its group, is given for a product that is asked for
 */
export function rightsOf(
  caller: Caller,
  settings: GroupSettings,
  isGranted: (group: string) => boolean = () => false,
): Record<string, boolean> {
  return Object.fromEntries(
    Object.entries(NAMES).map(([name, right]) => {
      const group = 'group' in right ? right.group : settings[right.setting];
      return [name, isInGroup(caller, group) || isGranted(group)];
    }),
  );
}
