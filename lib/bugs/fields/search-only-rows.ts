import { bit } from '../../base/collections.ts';
import { type FieldRow, NONE } from './field.ts';
import { type BuiltInKind, FIELD_TYPES } from './kinds.ts';

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
const searchOnly = <N extends string>(id: number, name: N, title: string, kind: BuiltInKind) => ({
  ...SEARCH_ONLY,
  ...{ id, name, rest: NONE, title, kind },
});

/** The fields that only searches know, in the order of Bugzilla's ids. */
export const SEARCH_ONLY_FIELDS = [
  searchOnly(19, 'assigned_to_realname', 'AssignedToName', 'text'),
  searchOnly(20, 'reporter_realname', 'ReportedByName', 'text'),
  searchOnly(21, 'qa_contact_realname', 'QAContactName', 'text'),
  searchOnly(25, 'attachments.description', 'Attachment description', 'text'),
  searchOnly(26, 'attachments.filename', 'Attachment filename', 'text'),
  searchOnly(27, 'attachments.mimetype', 'Attachment mime type', 'text'),
  searchOnly(28, 'attachments.ispatch', 'Attachment is patch', 'boolean'),
  searchOnly(29, 'attachments.isobsolete', 'Attachment is obsolete', 'boolean'),
  searchOnly(30, 'attachments.isprivate', 'Attachment is private', 'boolean'),
  searchOnly(31, 'attachments.submitter', 'Attachment creator', 'persons'),
  searchOnly(35, 'longdesc', 'Comment', 'text'),
  {
    ...searchOnly(36, 'longdescs.isprivate', 'Comment is private', 'boolean'),
    ofComment: ({ is_private }) => [bit(is_private)],
    visibleTo: 'insiders',
    changes: 'history',
  },
  searchOnly(37, 'longdescs.count', 'Number of Comments', 'number'),
  { ...searchOnly(46, 'commenter', 'Commenter', 'persons'), ofComment: ({ creator }) => [creator] },
  { ...searchOnly(47, 'flagtypes.name', 'Flags', 'keywords'), type: FIELD_TYPES.FREE },
  searchOnly(48, 'requestees.login_name', 'Flag Requestee', 'persons'),
  searchOnly(49, 'setters.login_name', 'Flag Setter', 'persons'),
  {
    ...searchOnly(51, 'percentage_complete', 'Percentage Complete', 'number'),
    visibleTo: 'timetrackers',
  },
  searchOnly(52, 'content', 'Content', 'text'),
  searchOnly(53, 'attach_data.thedata', 'Attachment data', 'text'),
  {
    ...searchOnly(54, 'owner_idle_time', 'Time Since Assignee Touched', 'text'),
    derived: NONE,
    searched: NONE,
  },
  searchOnly(56, 'tag', 'Personal Tags', 'keywords'),
  { ...searchOnly(57, 'last_visit_ts', 'Last Visit', 'time'), type: FIELD_TYPES.DATE_TIME },
  {
    ...searchOnly(58, 'comment_tag', 'Comment Tag', 'keywords'),
    type: FIELD_TYPES.FREE,
    ofComment: ({ tags }) => tags,
  },
  searchOnly(59, 'days_elapsed', 'Days since bug changed', 'number'),
  // As in Mozilla's Bugzilla; `/rest/field/bug` lists 5.2's.
  { ...searchOnly(0, 'cc_count', 'Number of CC', 'number'), id: NONE },
  { ...searchOnly(0, 'dupe_count', 'Number of Duplicates', 'number'), id: NONE, derived: NONE },
] as const satisfies readonly FieldRow[];

/** The names of fields whose values only searches read, but for those that each comment gives. */
export type SearchOnlyName = Exclude<
  Extract<(typeof SEARCH_ONLY_FIELDS)[number], { derived: 'search' }>,
  { ofComment: unknown }
>['name'];
