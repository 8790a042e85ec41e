import type { CommentItem } from '../../comments/schema.ts';
import type { FieldName } from '../fields.ts';
import type { BugItem } from '../schema.ts';
import type { Subject } from './subject.ts';

/** How the values of a field are compared. */
export type FieldKind = 'text' | 'name' | 'names' | 'alias' | 'person' | 'number' | 'time' | 'date' | 'flag';

/** How a search reads a field of a bug: no value, one, or several. */
export interface SearchField {
  kind: FieldKind;
  read(subject: Subject): readonly string[] | Promise<readonly string[]>;
  /** whether reading takes more than the bug itself */
  isCostly: boolean;
  /** a bug matches where one value meets the whole condition, also a negative one; else all values are examined */
  isByValue: boolean;
}

const RULES = { isCostly: false, isByValue: false };

const of = (kind: FieldKind, read: (bug: BugItem) => string | number | null): SearchField => ({
  ...RULES,
  kind,
  read: ({ bug }) => [String(read(bug) ?? '')],
});
const listOf = (kind: FieldKind, read: (bug: BugItem) => readonly (string | number)[]): SearchField => ({
  ...RULES,
  kind,
  read: ({ bug }) => read(bug).map(String),
});
const flag = (read: (bug: BugItem) => boolean): SearchField => of('flag', (bug) => (read(bug) ? '1' : '0'));
const placeName = (read: (place: Subject['place']) => string): SearchField => ({
  ...RULES,
  kind: 'name',
  read: ({ place }) => [read(place)],
});
const realName = (login: (bug: BugItem) => string): SearchField => ({
  ...RULES,
  kind: 'text',
  isCostly: true,
  read: async (subject) => [await subject.realName(login(subject.bug))],
});
const ofComments = (kind: FieldKind, read: (comments: readonly CommentItem[]) => string[]): SearchField => ({
  ...RULES,
  kind,
  isCostly: true,
  read: async (subject) => read(await subject.comments()),
});
/** What Bugless has none of: such conditions match as on a bug without any. */
const absent = (kind: FieldKind): SearchField => listOf(kind, () => []);

function percentageComplete({ hours_worked, remaining_time }: BugItem): number {
  const total = hours_worked + remaining_time;
  return total === 0 ? 0 : Math.floor((100 * hours_worked) / total);
}

const FIELDS: Partial<Record<FieldName, SearchField>> = {
  bug_id: of('number', ({ id }) => id),
  short_desc: of('text', ({ summary }) => summary),
  classification: placeName(({ classification }) => classification),
  product: placeName(({ product }) => product),
  version: of('name', ({ version }) => version),
  rep_platform: of('name', ({ platform }) => platform),
  bug_file_loc: of('text', ({ url }) => url),
  op_sys: of('name', ({ op_sys }) => op_sys),
  bug_status: of('name', ({ status }) => status),
  status_whiteboard: of('text', ({ whiteboard }) => whiteboard),
  keywords: listOf('names', ({ keywords }) => keywords),
  resolution: of('name', ({ resolution }) => resolution),
  bug_severity: of('name', ({ severity }) => severity),
  priority: of('name', ({ priority }) => priority),
  component: placeName(({ component }) => component),
  assigned_to: of('person', ({ assigned_to }) => assigned_to),
  reporter: of('person', ({ reporter }) => reporter),
  qa_contact: of('person', ({ qa_contact }) => qa_contact),
  assigned_to_realname: realName(({ assigned_to }) => assigned_to),
  reporter_realname: realName(({ reporter }) => reporter),
  qa_contact_realname: realName(({ qa_contact }) => qa_contact),
  cc: listOf('person', ({ cc }) => cc),
  dependson: listOf('number', ({ depends_on }) => depends_on),
  blocked: listOf('number', ({ blocks }) => blocks),
  'attachments.description': absent('text'),
  'attachments.filename': absent('text'),
  'attachments.mimetype': absent('text'),
  'attachments.ispatch': absent('flag'),
  'attachments.isobsolete': absent('flag'),
  'attachments.isprivate': absent('flag'),
  'attachments.submitter': absent('person'),
  target_milestone: of('name', ({ target_milestone }) => target_milestone),
  creation_ts: of('time', ({ creation_time }) => creation_time),
  delta_ts: of('time', ({ last_change_time }) => last_change_time),
  longdesc: { ...ofComments('text', (all) => all.map(({ text }) => text)), isByValue: true },
  'longdescs.isprivate': ofComments('flag', (all) => all.map((one) => (one.is_private ? '1' : '0'))),
  'longdescs.count': ofComments('number', (all) => [String(all.length)]),
  // A bug without an alias meets no condition on it, not even a negative one: so quicksearch's -word in Bugzilla.
  alias: { ...listOf('alias', ({ aliases }) => aliases), isByValue: true },
  everconfirmed: flag(({ is_confirmed }) => is_confirmed),
  reporter_accessible: flag(({ is_creator_accessible }) => is_creator_accessible),
  cclist_accessible: flag(({ is_cc_accessible }) => is_cc_accessible),
  bug_group: listOf('names', ({ groups }) => groups),
  estimated_time: of('number', ({ estimated_time }) => estimated_time),
  remaining_time: of('number', ({ remaining_time }) => remaining_time),
  deadline: of('date', ({ deadline }) => deadline),
  commenter: ofComments('person', (all) => all.map(({ creator }) => creator)),
  'flagtypes.name': absent('names'),
  'requestees.login_name': absent('person'),
  'setters.login_name': absent('person'),
  work_time: of('number', ({ hours_worked }) => hours_worked),
  percentage_complete: of('number', percentageComplete),
  content: {
    ...RULES,
    kind: 'text',
    isCostly: true,
    read: async (subject) => [subject.bug.summary, ...(await subject.comments()).map(({ text }) => text)],
  },
  'attach_data.thedata': absent('text'),
  see_also: listOf('names', ({ see_also }) => see_also),
  tag: absent('names'),
  last_visit_ts: absent('time'),
  comment_tag: ofComments('names', (all) => all.flatMap(({ tags }) => tags)),
};

/** How a field is searched; undefined: Bugless does not search by it. */
export const searchField = (name: FieldName): SearchField | undefined => FIELDS[name];
