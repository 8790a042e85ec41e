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
type RightName = keyof typeof NAMES;

/**
 * The rights of a caller, by their names in the interface. functions/README.md 8
 *
 * @param isGranted whether a right, by its group, is given for a product that is asked for
 */
export function rightsOf(
  caller: Caller,
  settings: GroupSettings,
  isGranted: (group: string) => boolean = () => false,
): Record<RightName, boolean> {
  const has = (name: RightName): boolean => {
    const right = NAMES[name];
    const group = 'group' in right ? right.group : settings[right.setting];
    return isInGroup(caller, group) || isGranted(group);
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
