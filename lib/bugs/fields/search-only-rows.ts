import { type BuiltInKind, type DerivedValue, FIELD_TYPES, type FieldRow, NONE } from './field.ts';

const { FREE, KEYWORDS, DATE } = FIELD_TYPES;

const SEARCH_ONLY = {
  stored: NONE,
  visibleTo: 'everyone',
  searched: 'parameters',
  created: NONE,
  updated: NONE,
  changes: NONE,
  values: NONE,
  isMandatory: false,
  catalogue: NONE,
  description: '',
} as const;

/** A field that bugs do not show. */
const searchOnly = (
  id: number,
  name: string,
  title: string,
  type: number,
  kind: BuiltInKind,
  derived: DerivedValue | undefined,
): FieldRow => ({ ...SEARCH_ONLY, is: [id, name, NONE, title, type], kind, derived });

/** The fields that only searches know, in the order of Bugzilla's ids. What Bugless has none of is `absent`. */
export const SEARCH_ONLY_FIELDS: readonly FieldRow[] = [
  searchOnly(19, 'assigned_to_realname', 'AssignedToName', FREE, 'text', 'assigned_to_realname'),
  searchOnly(20, 'reporter_realname', 'ReportedByName', FREE, 'text', 'reporter_realname'),
  searchOnly(21, 'qa_contact_realname', 'QAContactName', FREE, 'text', 'qa_contact_realname'),
  searchOnly(
    25,
    'attachments.description',
    'Attachment description',
    FREE,
    'text',
    'attachments.description',
  ),
  searchOnly(26, 'attachments.filename', 'Attachment filename', FREE, 'text', 'attachments.filename'),
  searchOnly(27, 'attachments.mimetype', 'Attachment mime type', FREE, 'text', 'attachments.mimetype'),
  searchOnly(28, 'attachments.ispatch', 'Attachment is patch', FREE, 'flag', 'attachments.ispatch'),
  searchOnly(29, 'attachments.isobsolete', 'Attachment is obsolete', FREE, 'flag', 'attachments.isobsolete'),
  searchOnly(30, 'attachments.isprivate', 'Attachment is private', FREE, 'flag', 'attachments.isprivate'),
  searchOnly(31, 'attachments.submitter', 'Attachment creator', FREE, 'persons', 'attachments.submitter'),
  searchOnly(35, 'longdesc', 'Comment', FREE, 'text', 'longdesc'),
  {
    ...searchOnly(36, 'longdescs.isprivate', 'Comment is private', FREE, 'flag', 'longdescs.isprivate'),
    visibleTo: 'insiders',
    changes: 'history',
  },
  searchOnly(37, 'longdescs.count', 'Number of Comments', FREE, 'decimal', 'longdescs.count'),
  searchOnly(46, 'commenter', 'Commenter', FREE, 'persons', 'commenter'),
  searchOnly(47, 'flagtypes.name', 'Flags', FREE, 'keywords', 'flags'),
  searchOnly(48, 'requestees.login_name', 'Flag Requestee', FREE, 'persons', 'requestees'),
  searchOnly(49, 'setters.login_name', 'Flag Setter', FREE, 'persons', 'setters'),
  {
    ...searchOnly(51, 'percentage_complete', 'Percentage Complete', FREE, 'decimal', 'percentage_complete'),
    visibleTo: 'timetrackers',
  },
  searchOnly(52, 'content', 'Content', FREE, 'text', 'content'),
  searchOnly(53, 'attach_data.thedata', 'Attachment data', FREE, 'text', 'attach_data.thedata'),
  { ...searchOnly(54, 'owner_idle_time', 'Time Since Assignee Touched', FREE, 'text', NONE), searched: NONE },
  searchOnly(56, 'tag', 'Personal Tags', KEYWORDS, 'keywords', 'absent'),
  searchOnly(57, 'last_visit_ts', 'Last Visit', DATE, 'time', 'last_visit'),
  searchOnly(58, 'comment_tag', 'Comment Tag', FREE, 'keywords', 'comment_tag'),
  searchOnly(59, 'days_elapsed', 'Days since bug changed', FREE, 'decimal', 'days_elapsed'),
];
