/** Bugzilla's numbers for the types of fields. */
const FREE = 0;
const SELECT = 2;
const DATE = 5;
const URLS = 7;
const KEYWORDS = 8;

/**
 * Every field of a bug under Bugzilla's ids and names: the internal name (charts, orders, `/rest/field/bug`),
 * the name that bugs, changes and histories show ('' where they do not), the title, and the type.
 */
const ROWS = [
  [1, 'bug_id', 'id', 'Bug #', FREE],
  [2, 'short_desc', 'summary', 'Summary', FREE],
  [3, 'classification', 'classification', 'Classification', SELECT],
  [4, 'product', 'product', 'Product', SELECT],
  [5, 'version', 'version', 'Version', FREE],
  [6, 'rep_platform', 'platform', 'Platform', SELECT],
  [7, 'bug_file_loc', 'url', 'URL', FREE],
  [8, 'op_sys', 'op_sys', 'OS/Version', SELECT],
  [9, 'bug_status', 'status', 'Status', SELECT],
  [10, 'status_whiteboard', 'whiteboard', 'Status Whiteboard', FREE],
  [11, 'keywords', 'keywords', 'Keywords', KEYWORDS],
  [12, 'resolution', 'resolution', 'Resolution', SELECT],
  [13, 'bug_severity', 'severity', 'Severity', SELECT],
  [14, 'priority', 'priority', 'Priority', SELECT],
  [15, 'component', 'component', 'Component', SELECT],
  [16, 'assigned_to', 'assigned_to', 'AssignedTo', FREE],
  [17, 'reporter', 'creator', 'ReportedBy', FREE],
  [18, 'qa_contact', 'qa_contact', 'QAContact', FREE],
  [19, 'assigned_to_realname', '', 'AssignedToName', FREE],
  [20, 'reporter_realname', '', 'ReportedByName', FREE],
  [21, 'qa_contact_realname', '', 'QAContactName', FREE],
  [22, 'cc', 'cc', 'CC', FREE],
  [23, 'dependson', 'depends_on', 'Depends on', FREE],
  [24, 'blocked', 'blocks', 'Blocks', FREE],
  [25, 'attachments.description', '', 'Attachment description', FREE],
  [26, 'attachments.filename', '', 'Attachment filename', FREE],
  [27, 'attachments.mimetype', '', 'Attachment mime type', FREE],
  [28, 'attachments.ispatch', '', 'Attachment is patch', FREE],
  [29, 'attachments.isobsolete', '', 'Attachment is obsolete', FREE],
  [30, 'attachments.isprivate', '', 'Attachment is private', FREE],
  [31, 'attachments.submitter', '', 'Attachment creator', FREE],
  [32, 'target_milestone', 'target_milestone', 'Target Milestone', FREE],
  [33, 'creation_ts', 'creation_time', 'Creation date', FREE],
  [34, 'delta_ts', 'last_change_time', 'Last changed date', FREE],
  [35, 'longdesc', '', 'Comment', FREE],
  [36, 'longdescs.isprivate', '', 'Comment is private', FREE],
  [37, 'longdescs.count', '', 'Number of Comments', FREE],
  [38, 'alias', 'alias', 'Alias', FREE],
  [39, 'everconfirmed', 'is_confirmed', 'Ever Confirmed', FREE],
  [40, 'reporter_accessible', 'is_creator_accessible', 'Reporter Accessible', FREE],
  [41, 'cclist_accessible', 'is_cc_accessible', 'CC Accessible', FREE],
  [42, 'bug_group', 'groups', 'Group', FREE],
  [43, 'estimated_time', 'estimated_time', 'Estimated Hours', FREE],
  [44, 'remaining_time', 'remaining_time', 'Remaining Hours', FREE],
  [45, 'deadline', 'deadline', 'Deadline', DATE],
  [46, 'commenter', '', 'Commenter', FREE],
  [47, 'flagtypes.name', '', 'Flags', FREE],
  [48, 'requestees.login_name', '', 'Flag Requestee', FREE],
  [49, 'setters.login_name', '', 'Flag Setter', FREE],
  [50, 'work_time', 'work_time', 'Hours Worked', FREE],
  [51, 'percentage_complete', '', 'Percentage Complete', FREE],
  [52, 'content', '', 'Content', FREE],
  [53, 'attach_data.thedata', '', 'Attachment data', FREE],
  [54, 'owner_idle_time', '', 'Time Since Assignee Touched', FREE],
  [55, 'see_also', 'see_also', 'See Also', URLS],
  [56, 'tag', '', 'Personal Tags', KEYWORDS],
  [57, 'last_visit_ts', '', 'Last Visit', DATE],
  [58, 'comment_tag', '', 'Comment Tag', FREE],
  [59, 'days_elapsed', '', 'Days since bug changed', FREE],
] as const;

/** A field of a bug. */
export interface BugField {
  id: number;
  name: FieldName;
  rest: string;
  title: string;
  type: number;
}
export type FieldName = (typeof ROWS)[number][1];

export const BUG_FIELDS: readonly BugField[] = ROWS.map(([id, name, rest, title, type]) => ({
  id,
  name,
  rest,
  title,
  type,
}));

const byName: ReadonlyMap<string, BugField> = new Map(BUG_FIELDS.map((field) => [field.name, field]));
const byRestName: ReadonlyMap<string, BugField> = new Map(BUG_FIELDS.map((field) => [field.rest, field]));

/** A field by its internal name. */
export const fieldNamed = (name: string): BugField | undefined => byName.get(name);

/** A field by the name that bugs show it under. */
export const fieldShownAs = (rest: string): BugField | undefined =>
  rest === '' ? undefined : byRestName.get(rest);

/** The fields that only callers in the time-tracking group see, search and change, under either name. */
const TIME_FIELDS: ReadonlySet<string> = new Set([
  'estimated_time',
  'remaining_time',
  'actual_time',
  'work_time',
  'percentage_complete',
]);

export const isTimeField = (name: string): boolean => TIME_FIELDS.has(name);
