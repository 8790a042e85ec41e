import type { BugField } from '../fields/field.ts';

/** What 5.2's pages and lists call fields, where its table of fields calls them otherwise. By internal names. */
const TITLES: ReadonlyMap<string, string> = new Map([
  ['assigned_to', 'Assignee'],
  ['assigned_to_realname', 'Assignee Real Name'],
  ['bug_id', 'Bug ID'],
  ['cclist_accessible', 'CC list accessible'],
  ['delta_ts', 'Changed'],
  ['estimated_time', 'Orig. Est.'],
  ['everconfirmed', 'Ever confirmed'],
  ['op_sys', 'OS'],
  ['percentage_complete', '%Complete'],
  ['qa_contact', 'QA Contact'],
  ['qa_contact_realname', 'QA Contact Real Name'],
  ['remaining_time', 'Hours Left'],
  ['rep_platform', 'Hardware'],
  ['reporter', 'Reporter'],
  ['reporter_accessible', 'Reporter accessible'],
  ['reporter_realname', 'Reporter Real Name'],
  ['bug_severity', 'Severity'],
  ['status_whiteboard', 'Whiteboard'],
]);

/** The title of a field on Bugzilla's pages. */
export const pageTitle = ({ name, title }: Pick<BugField, 'name' | 'title'>): string =>
  TITLES.get(name) ?? title;
