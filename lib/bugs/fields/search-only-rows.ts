import { type BuiltInKind, FIELD_TYPES, type FieldRow, NONE } from './field.ts';

const { FREE, KEYWORDS, DATE } = FIELD_TYPES;

const SEARCH_ONLY = {
  stored: NONE,
  derived: 'search',
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
const searchOnly = <N extends string>(
  id: number,
  name: N,
  title: string,
  type: number,
  kind: BuiltInKind,
) => ({ ...SEARCH_ONLY, is: [id, name, NONE, title, type] as const, kind });

/** The fields that only searches know, in the order of Bugzilla's ids. */
export const SEARCH_ONLY_FIELDS = [
  searchOnly(19, 'assigned_to_realname', 'AssignedToName', FREE, 'text'),
  searchOnly(20, 'reporter_realname', 'ReportedByName', FREE, 'text'),
  searchOnly(21, 'qa_contact_realname', 'QAContactName', FREE, 'text'),
  searchOnly(25, 'attachments.description', 'Attachment description', FREE, 'text'),
  searchOnly(26, 'attachments.filename', 'Attachment filename', FREE, 'text'),
  searchOnly(27, 'attachments.mimetype', 'Attachment mime type', FREE, 'text'),
  searchOnly(28, 'attachments.ispatch', 'Attachment is patch', FREE, 'flag'),
  searchOnly(29, 'attachments.isobsolete', 'Attachment is obsolete', FREE, 'flag'),
  searchOnly(30, 'attachments.isprivate', 'Attachment is private', FREE, 'flag'),
  searchOnly(31, 'attachments.submitter', 'Attachment creator', FREE, 'persons'),
  searchOnly(35, 'longdesc', 'Comment', FREE, 'text'),
  {
    ...searchOnly(36, 'longdescs.isprivate', 'Comment is private', FREE, 'flag'),
    visibleTo: 'insiders',
    changes: 'history',
  },
  searchOnly(37, 'longdescs.count', 'Number of Comments', FREE, 'decimal'),
  searchOnly(46, 'commenter', 'Commenter', FREE, 'persons'),
  searchOnly(47, 'flagtypes.name', 'Flags', FREE, 'keywords'),
  searchOnly(48, 'requestees.login_name', 'Flag Requestee', FREE, 'persons'),
  searchOnly(49, 'setters.login_name', 'Flag Setter', FREE, 'persons'),
  {
    ...searchOnly(51, 'percentage_complete', 'Percentage Complete', FREE, 'decimal'),
    visibleTo: 'timetrackers',
  },
  searchOnly(52, 'content', 'Content', FREE, 'text'),
  searchOnly(53, 'attach_data.thedata', 'Attachment data', FREE, 'text'),
  {
    ...searchOnly(54, 'owner_idle_time', 'Time Since Assignee Touched', FREE, 'text'),
    derived: NONE,
    searched: NONE,
  },
  searchOnly(56, 'tag', 'Personal Tags', KEYWORDS, 'keywords'),
  searchOnly(57, 'last_visit_ts', 'Last Visit', DATE, 'time'),
  searchOnly(58, 'comment_tag', 'Comment Tag', FREE, 'keywords'),
  searchOnly(59, 'days_elapsed', 'Days since bug changed', FREE, 'decimal'),
] as const satisfies readonly FieldRow[];

/** The names of fields whose values only searches read. */
export type SearchOnlyName = Extract<(typeof SEARCH_ONLY_FIELDS)[number], { derived: 'search' }>['is'][1];
