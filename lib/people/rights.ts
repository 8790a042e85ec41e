import { normalizeName } from '../base/text.ts';
import type { Settings } from '../settings.ts';

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
