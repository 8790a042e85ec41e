import { compareNames } from '../../base/text.ts';
import type { PublishedChange } from '../events/change.ts';
import { labelOf } from './labels.ts';

/** A field of a new bug. */
interface ShownField {
  /** the internal one */
  name: string;
  label: string;
  value: string;
}

/** The fields of a new bug that are not empty, in the order of mails. functions/mail/README.md 2 */
export function newBugFields({ bug, place, fields }: PublishedChange, isTimeTracker: boolean): ShownField[] {
  const list = (values: readonly (string | number)[]) => values.join(', ');
  const values: [name: string, value: string][] = [
    ['bug_id', String(bug.id)],
    ['short_desc', bug.summary],
    ['classification', place.classification],
    ['product', place.product],
    ['version', bug.version],
    ['rep_platform', bug.platform],
    ['bug_file_loc', bug.url],
    ['op_sys', bug.op_sys],
    ['bug_status', bug.status],
    ['status_whiteboard', bug.whiteboard],
    ['keywords', list(bug.keywords.toSorted(compareNames))],
    ['bug_severity', bug.severity],
    ['priority', bug.priority],
    ['component', place.component],
    ['assigned_to', bug.assigned_to],
    ['reporter', bug.reporter],
    ['qa_contact', bug.qa_contact],
    ['cc', list(bug.cc.toSorted(compareNames))],
    ['dependson', list(bug.depends_on)],
    ['blocked', list(bug.blocks)],
    ['target_milestone', bug.target_milestone],
    ['bug_group', list(bug.groups.toSorted(compareNames))],
    ['estimated_time', isTimeTracker && bug.estimated_time !== 0 ? bug.estimated_time.toFixed(2) : ''],
    ['deadline', bug.deadline ?? ''],
  ];
  return values
    .filter(([, value]) => value !== '')
    .map(([name, value]) => ({ name, label: labelOf(name, fields), value }));
}
