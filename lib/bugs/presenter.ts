import type { FieldSelection } from '../fields.ts';
import { compareNames, normalizeName } from '../text.ts';
import type { UserItem } from '../users/schema.ts';
import { isTimeField } from './fields.ts';
import type { BugItem, HistoryItem } from './schema.ts';
import type { BugPlace } from './search/subject.ts';
import { isOpenStatus } from './workflow.ts';

/** What the interface shows of a bug beside what is stored with it. */
export interface BugSurroundings {
  place: BugPlace;
  /** by normalized login */
  users: ReadonlyMap<string, UserItem>;
  /** whether the caller sees time fields */
  isTimeTracker: boolean;
}

type View = Record<string, unknown>;

/** A bug in the interface, with the selected fields. */
export function presentBug(
  bug: BugItem,
  { place, users, isTimeTracker }: BugSurroundings,
  fields: FieldSelection,
): View {
  const cc = bug.cc.toSorted(compareNames);
  const detail = (field: string, login: string) => fields.within(field).pick(userDetail(login, users));
  const view = fields.pick({
    id: bug.id,
    alias: bug.aliases.toSorted(compareNames),
    summary: bug.summary,
    ...place,
    version: bug.version,
    target_milestone: bug.target_milestone,
    status: bug.status,
    resolution: bug.resolution,
    dupe_of: bug.dupe_of,
    is_open: isOpenStatus(bug.status),
    is_confirmed: bug.is_confirmed,
    priority: bug.priority,
    severity: bug.severity,
    platform: bug.platform,
    op_sys: bug.op_sys,
    creator: bug.reporter,
    assigned_to: bug.assigned_to,
    qa_contact: bug.qa_contact,
    cc,
    groups: bug.groups.toSorted(compareNames),
    keywords: bug.keywords.toSorted(compareNames),
    whiteboard: bug.whiteboard,
    url: bug.url,
    see_also: bug.see_also,
    blocks: bug.blocks.toSorted(byNumber),
    depends_on: bug.depends_on.toSorted(byNumber),
    deadline: bug.deadline,
    flags: [],
    is_creator_accessible: bug.is_creator_accessible,
    is_cc_accessible: bug.is_cc_accessible,
    creation_time: bug.creation_time,
    last_change_time: bug.last_change_time,
    ...(isTimeTracker
      ? {
          estimated_time: bug.estimated_time,
          remaining_time: bug.remaining_time,
          actual_time: bug.hours_worked,
        }
      : {}),
  });
  for (const [field, login] of Object.entries(peopleOf(bug))) {
    if (login !== '' && fields.has(field)) view[`${field}_detail`] = detail(field, login);
  }
  if (fields.has('cc')) view['cc_detail'] = cc.map((login) => detail('cc', login));
  if (fields.hasExtra('tags')) view['tags'] = [];
  return view;
}

const byNumber = (a: number, b: number) => a - b;

const peopleOf = ({ reporter, assigned_to, qa_contact }: BugItem) => ({
  creator: reporter,
  assigned_to,
  qa_contact,
});

/** The logins whose users a view of these bugs shows in detail. */
export function shownLogins(bugs: readonly BugItem[], fields: FieldSelection): string[] {
  return bugs.flatMap((bug) => {
    const people = Object.entries(peopleOf(bug)).filter(([field]) => fields.has(field));
    return [...people.map(([, login]) => login), ...(fields.has('cc') ? bug.cc : [])];
  });
}

function userDetail(login: string, users: ReadonlyMap<string, UserItem>): View {
  const user = users.get(normalizeName(login));
  return { id: user?.id ?? 0, name: user?.login ?? login, real_name: user?.real_name ?? '', email: login };
}

/** The names of fields that the history shows to insiders only. */
const INSIDER_FIELDS: ReadonlySet<string> = new Set(['longdescs.isprivate']);

/** A bug's history in the interface; changes that the caller may not see are left out. */
export function presentHistory(
  history: readonly HistoryItem[],
  { isTimeTracker, isInsider }: { isTimeTracker: boolean; isInsider: boolean },
): View[] {
  const isShown = ({ field_name }: HistoryItem['changes'][number]) =>
    (isTimeTracker || !isTimeField(field_name)) && (isInsider || !INSIDER_FIELDS.has(field_name));
  return history.flatMap(({ when, who, changes }) => {
    const shown = changes.filter(isShown);
    return shown.length === 0 ? [] : [{ when, who, changes: shown }];
  });
}
