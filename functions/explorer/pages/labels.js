/** A table in a text: `name what it means, …`. */
export const tableOf = (text) =>
  Object.fromEntries(text.split(/,\s+/).map((one) => one.match(/^(\S*) (.*)$/).slice(1)));

/** Names of fields in Bugzilla, where the interface has others. */
const REST_NAMES = tableOf(
  `bug_id id, short_desc summary, bug_severity severity, bug_status status, rep_platform platform, bug_file_loc url,
  status_whiteboard whiteboard, dependson depends_on, blocked blocks, reporter creator, bug_group groups, flagtypes.name flags,
  opendate creation_time, creation_ts creation_time, changeddate last_change_time, delta_ts last_change_time`,
);

/** The name of a field in the interface. */
export const restName = (name) => REST_NAMES[name] ?? name;

/** What pages call fields, by their names in the interface, in Bugzilla's words; others by their names with blanks. */
const LABELS = tableOf(
  `id ID, op_sys OS, cc CC, url URL, assigned_to Assignee, creator Reporter, qa_contact QA contact, dupe_of Duplicate of,
  cclist_accessible CC list accessible, work_time Hours worked, estimated_time Estimated hours, remaining_time Remaining hours,
  actual_time Actual hours, creation_time Opened, last_change_time Changed, longdescs.isprivate Comment is private`,
);
const OF_ATTACHMENTS = tableOf(
  'ispatch is patch, isobsolete is obsolete, isprivate is private, mimetype type',
);

/** Adds the labels of custom fields: `[name, label]`. */
export const addLabels = (labels) => Object.assign(LABELS, Object.fromEntries(labels));

/** What pages call a field, by its name in Bugzilla or in the interface. */
export function labelOf(name) {
  const known = restName(name);
  if (Object.hasOwn(LABELS, known)) return LABELS[known];
  const [, part] = /^attachments\.(\w+)$/.exec(known) ?? [];
  if (part !== undefined) return `Attachment ${OF_ATTACHMENTS[part] ?? part}`;
  const words = known.replace(/^cf_/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
