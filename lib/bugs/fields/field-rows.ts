import * as z from 'zod/mini';
import { MAX_ALIAS_LENGTH, MAX_SUMMARY_LENGTH } from '../validation.ts';
import { type FieldRow, NONE } from './field.ts';
import type { BuiltInKind } from './kinds.ts';

const texts = z._default(z.array(z.string()), []);
const ids = z._default(z.array(z.int()), []);
const textOr = (fallback: string) => z._default(z.string(), fallback);

/** What everyone who may change a bug may change, and what is stored, recorded, exported and imported. */
const EDITABLE = {
  derived: NONE,
  visibleTo: 'everyone',
  searched: 'parameters',
  created: 'everyone',
  updated: 'reporter',
  changes: 'history',
  isMandatory: false,
  catalogue: 'optional',
} as const;

/** What follows from other things. */
const READ_ONLY = { created: 'ignored', updated: NONE, changes: NONE } as const;

/** Hours: they are the time trackers' business. */
const HOURS = {
  visibleTo: 'timetrackers',
  created: 'timetrackers',
  updated: 'timetrackers',
} as const;

/** What a row may have otherwise than EDITABLE. */
type OtherColumns = Partial<Omit<FieldRow, 'id' | 'name' | 'rest' | 'title' | 'kind' | 'stored' | 'values'>>;

/** The kinds of fields with legal values, whose source has the name of the field in the interface. */
const VALUED: ReadonlySet<string> = new Set<BuiltInKind>([
  ...(['choice', 'status', 'resolution', 'keywords'] as const),
  ...(['classification', 'component', 'version', 'milestone'] as const),
]);

/** The row of a field: its first columns, and what it has otherwise than EDITABLE. */
function field<
  const N extends string,
  const R extends string,
  const K extends BuiltInKind,
  const S extends FieldRow['stored'],
  const O extends OtherColumns & { description: string },
>(
  ...columns: [FieldRow['id'], N, R, string, K, S, O]
): Omit<typeof EDITABLE, keyof O> &
  O & { name: N; rest: R; kind: K; stored: S } & Pick<FieldRow, 'id' | 'title' | 'values'>;
function field(
  ...columns: [FieldRow['id'], string, string, string, string, FieldRow['stored'], object]
): object {
  const [id, name, rest, title, kind, stored, others] = columns;
  const values = VALUED.has(kind) ? rest : NONE;
  return { ...EDITABLE, ...others, id, name, rest, title, kind, stored, values };
}

/** The fields that bugs show, in the order of Bugzilla's ids: id, internal name, that of the interface, title, kind, what is stored. */
export const SHOWN_FIELDS = [
  field(1, 'bug_id', 'id', 'Bug #', 'id', ['id', z.int()], {
    ...READ_ONLY,
    catalogue: 'required',
    description: 'Identifies the bug in this installation only.',
  }),
  field(2, 'short_desc', 'summary', 'Summary', 'summary', ['summary', z.string()], {
    created: 'required',
    isMandatory: true,
    catalogue: 'required',
    description: `At most ${MAX_SUMMARY_LENGTH} characters.`,
  }),
  field(3, 'classification', 'classification', 'Classification', 'classification', NONE, {
    ...READ_ONLY,
    derived: 'place',
    catalogue: NONE,
    description: 'That of the product.',
  }),
  field(4, 'product', 'product', 'Product', 'product', ['product_id', z.int()], {
    derived: 'place',
    created: 'required',
    isMandatory: true,
    catalogue: 'required',
    description: 'A product. A bug that moves needs component, version and milestone there.',
  }),
  field(5, 'version', 'version', 'Version', 'version', ['version', z.string()], {
    created: 'required',
    isMandatory: true,
    description: 'A version of the product.',
  }),
  field(6, 'rep_platform', 'platform', 'Platform', 'choice', ['platform', textOr('All')], {
    created: 'required',
    description: 'The hardware; by default All.',
  }),
  field(7, 'bug_file_loc', 'url', 'URL', 'url', ['url', textOr('')], {
    description: 'An address that belongs to the bug.',
  }),
  field(8, 'op_sys', 'op_sys', 'OS/Version', 'choice', ['op_sys', textOr('All')], {
    created: 'required',
    description: 'The operating system; by default All.',
  }),
  field(9, 'bug_status', 'status', 'Status', 'status', ['status', z.string()], {
    created: 'editors',
    description: 'A status that the workflow has after the current one: see `/rest/field/bug/bug_status`.',
  }),
  field(10, 'status_whiteboard', 'whiteboard', 'Status Whiteboard', 'text', ['whiteboard', textOr('')], {
    description: 'Notes.',
  }),
  field(11, 'keywords', 'keywords', 'Keywords', 'keywords', ['keywords', texts], {
    description: 'Names of keywords.',
  }),
  field(12, 'resolution', 'resolution', 'Resolution', 'resolution', ['resolution', textOr('')], {
    description: 'Why the bug is closed; empty while it is open.',
  }),
  field(13, 'bug_severity', 'severity', 'Severity', 'choice', ['severity', textOr('enhancement')], {
    description: 'How bad it is.',
  }),
  field(14, 'priority', 'priority', 'Priority', 'choice', ['priority', textOr('---')], {
    description: 'How urgent it is.',
  }),
  field(15, 'component', 'component', 'Component', 'component', ['component_id', z.int()], {
    derived: 'place',
    created: 'required',
    isMandatory: true,
    catalogue: 'required',
    description: 'A component of the product.',
  }),
  field(16, 'assigned_to', 'assigned_to', 'AssignedTo', 'person', ['assigned_to', z.string()], {
    created: 'editors',
    updated: 'editors',
    description: "The assignee; of a new bug by default the component's.",
  }),
  field(17, 'reporter', 'creator', 'ReportedBy', 'person', ['reporter', z.string()], {
    ...READ_ONLY,
    catalogue: 'required',
    description: 'The reporter.',
  }),
  field(18, 'qa_contact', 'qa_contact', 'QAContact', 'person', ['qa_contact', z.string()], {
    created: 'editors',
    updated: 'editors',
    description: "The QA contact, or empty; of a new bug by default the component's.",
  }),
  field(22, 'cc', 'cc', 'CC', 'persons', ['cc', z.array(z.string())], {
    description: 'Those who follow the bug.',
  }),
  field(23, 'dependson', 'depends_on', 'Depends on', 'bugs', ['depends_on', ids], {
    created: 'editors',
    description: 'Bugs that have to be resolved before this one.',
  }),
  field(24, 'blocked', 'blocks', 'Blocks', 'bugs', ['blocks', ids], {
    created: 'editors',
    description: 'Bugs that can be resolved after this one.',
  }),
  field(
    32,
    'target_milestone',
    'target_milestone',
    'Target Milestone',
    'milestone',
    ['target_milestone', textOr('---')],
    {
      updated: 'editors',
      description: "A milestone of the product; of a new bug by default the product's.",
    },
  ),
  field(33, 'creation_ts', 'creation_time', 'Creation date', 'time', ['creation_time', z.string()], {
    ...READ_ONLY,
    description: 'When the bug was created.',
  }),
  field(34, 'delta_ts', 'last_change_time', 'Last changed date', 'time', ['last_change_time', z.string()], {
    ...READ_ONLY,
    created: NONE,
    description: 'When the bug, or its comments, last changed.',
  }),
  field(38, 'alias', 'alias', 'Alias', 'aliases', ['aliases', z.array(z.string())], {
    description: `Other names of the bug: no numbers, white space or commas, at most ${MAX_ALIAS_LENGTH} characters each.`,
  }),
  field(39, 'everconfirmed', 'is_confirmed', 'Ever Confirmed', 'boolean', ['is_confirmed', z.boolean()], {
    ...READ_ONLY,
    changes: 'history',
    description: 'Whether the bug was ever confirmed.',
  }),
  field(
    40,
    'reporter_accessible',
    'is_creator_accessible',
    'Reporter Accessible',
    'boolean',
    ['is_creator_accessible', z._default(z.boolean(), true)],
    {
      description: 'Whether the reporter sees the bug without its groups.',
    },
  ),
  field(
    41,
    'cclist_accessible',
    'is_cc_accessible',
    'CC Accessible',
    'boolean',
    ['is_cc_accessible', z._default(z.boolean(), true)],
    {
      description: 'Whether users on CC see the bug without its groups.',
    },
  ),
  field(42, 'bug_group', 'groups', 'Group', 'groups', ['groups', z.array(z.string())], {
    searched: 'charts',
    description: 'Only users in all of these groups see the bug, beside those who take part in it.',
  }),
  field(
    43,
    'estimated_time',
    'estimated_time',
    'Estimated Hours',
    'hours',
    ['estimated_time', z._default(z.number(), 0)],
    {
      ...HOURS,
      description: 'Hours that the work was estimated to take.',
    },
  ),
  field(
    44,
    'remaining_time',
    'remaining_time',
    'Remaining Hours',
    'hours',
    ['remaining_time', z._default(z.number(), 0)],
    {
      ...HOURS,
      description: 'Hours that remain; of a new bug by default those that it is estimated to take.',
    },
  ),
  field(
    45,
    'deadline',
    'deadline',
    'Deadline',
    'date',
    ['deadline', z._default(z.nullable(z.string()), null)],
    {
      created: 'timetrackers',
      updated: 'timetrackers',
      description: 'A date, `YYYY-MM-DD`.',
    },
  ),
  field(50, 'work_time', 'actual_time', 'Hours Worked', 'hours', ['hours_worked', z.number()], {
    ...HOURS,
    created: NONE,
    updated: NONE,
    changes: NONE,
    catalogue: NONE,
    description: 'Hours worked.',
  }),
  field(55, 'see_also', 'see_also', 'See Also', 'urls', ['see_also', texts], {
    description: 'Addresses of bugs in other trackers, or ids of bugs here.',
  }),
  field(
    NONE,
    'dupe_of',
    'dupe_of',
    'Duplicate of',
    'bug',
    ['dupe_of', z._default(z.nullable(z.int()), null)],
    {
      searched: NONE,
      changes: 'response',
      description: 'The bug that this one is a duplicate of: it is resolved so.',
    },
  ),
] as const satisfies readonly FieldRow[];
