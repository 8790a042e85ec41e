import { isListed } from '../../bugs/fields/field.ts';
import type { BugFields } from '../../bugs/fields/registry.ts';

/** Names of fields in quicksearch that are not the internal ones. */
const OWN_NAMES: Readonly<Record<string, string>> = {
  status: 'bug_status',
  platform: 'rep_platform',
  os: 'op_sys',
  severity: 'bug_severity',
  assignee: 'assigned_to',
  owner: 'assigned_to',
  milestone: 'target_milestone',
  summary: 'short_desc',
  description: 'longdesc',
  comment: 'longdesc',
  url: 'bug_file_loc',
  whiteboard: 'status_whiteboard',
  sw: 'status_whiteboard',
  kw: 'keywords',
  group: 'bug_group',
  flag: 'flagtypes.name',
  requestee: 'requestees.login_name',
  setter: 'setters.login_name',
  attachment: 'attachments.description',
  attachmentdesc: 'attachments.description',
  attachdesc: 'attachments.description',
  attachmentmimetype: 'attachments.mimetype',
  attachmimetype: 'attachments.mimetype',
  attachdata: 'attach_data.thedata',
  attachmentdata: 'attach_data.thedata',
};
/** Internal names that quicksearch does not know: it has others for them, or would take them for others. */
const WITHOUT: ReadonlySet<string> = new Set([
  'rep_platform',
  'bug_status',
  'bug_file_loc',
  'bug_group',
  'bug_severity',
  'status_whiteboard',
  'cclist_accessible',
  'reporter_accessible',
]);

/** The internal names of fields by those that quicksearch knows. */
export const quicksearchFields = ({ all }: BugFields): ReadonlyMap<string, string> =>
  new Map([
    ...all
      .filter((field) => isListed(field) && !field.name.includes('.') && !WITHOUT.has(field.name))
      .map(({ name }) => [name, name] as const),
    ...Object.entries(OWN_NAMES),
  ]);
