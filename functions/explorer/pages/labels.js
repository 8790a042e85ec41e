/** Names of fields in Bugzilla, where the interface has others. */
const REST_NAMES = {
  bug_id: 'id',
  short_desc: 'summary',
  bug_severity: 'severity',
  bug_status: 'status',
  rep_platform: 'platform',
  bug_file_loc: 'url',
  status_whiteboard: 'whiteboard',
  dependson: 'depends_on',
  blocked: 'blocks',
  reporter: 'creator',
  bug_group: 'groups',
  'flagtypes.name': 'flags',
  opendate: 'creation_time',
  creation_ts: 'creation_time',
  changeddate: 'last_change_time',
  delta_ts: 'last_change_time',
};

/** The name of a field in the interface. */
export const restName = (name) => REST_NAMES[name] ?? name;

/** What pages call fields, by their names in the interface, in Bugzilla's words; others by their names with blanks. */
const LABELS = {
  id: 'ID',
  op_sys: 'OS',
  assigned_to: 'Assignee',
  creator: 'Reporter',
  qa_contact: 'QA contact',
  cc: 'CC',
  cclist_accessible: 'CC list accessible',
  url: 'URL',
  dupe_of: 'Duplicate of',
  estimated_time: 'Estimated hours',
  remaining_time: 'Remaining hours',
  actual_time: 'Actual hours',
  work_time: 'Hours worked',
  creation_time: 'Opened',
  last_change_time: 'Changed',
  'longdescs.isprivate': 'Comment is private',
  'attachments.description': 'Attachment description',
  'attachments.filename': 'Attachment filename',
  'attachments.mimetype': 'Attachment type',
  'attachments.ispatch': 'Attachment is patch',
  'attachments.isobsolete': 'Attachment is obsolete',
  'attachments.isprivate': 'Attachment is private',
};

/** Adds the labels of custom fields: `[name, label]`. */
export const addLabels = (labels) => Object.assign(LABELS, Object.fromEntries(labels));

/** What pages call a field, by its name in Bugzilla or in the interface. */
export function labelOf(name) {
  const known = restName(name);
  if (Object.hasOwn(LABELS, known)) return LABELS[known];
  const words = known.replace(/^cf_/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
