import type { HistoryItem } from '../../lib/bugs/schema.ts';
import type { Page } from './read-bug-parts.ts';
import type { Row } from './row.ts';

/** Fields under the names that histories have, where these are not Bugzilla's own. */
const REST_NAMES: Partial<Record<string, string>> = {
  blocked: 'blocks',
  dependson: 'depends_on',
  dup_id: 'dupe_of',
  bug_id: 'id',
  creation_ts: 'creation_time',
  reporter: 'creator',
  everconfirmed: 'is_confirmed',
  cclist_accessible: 'is_cc_accessible',
  reporter_accessible: 'is_creator_accessible',
  delta_ts: 'last_change_time',
  rep_platform: 'platform',
  bug_severity: 'severity',
  bug_status: 'status',
  short_desc: 'summary',
  bug_file_loc: 'url',
  status_whiteboard: 'whiteboard',
  bug_group: 'groups',
};

/** Fields whose values are lists of numbers or addresses: their fragments have lost a comma. */
const LISTS: ReadonlySet<string> = new Set(['dependson', 'blocked', 'see_also']);

/** Joins the fragments of a value that was too long for one row. */
function joined(field: string, first: string, next: string): string {
  if (first === '' || next === '') return first + next;
  if (/^[, ]/.test(next) || field === 'bug_file_loc') return first + next;
  return `${first}${LISTS.has(field) ? ', ' : ' '}${next}`;
}

/**
 * The history of a bug. Changes of a user at the same time are one entry, and the fragments of a value one change.
 *
 * @returns also how many rows name a user or a field that is gone: Bugzilla does not show them
 */
export function historyOf(
  rows: readonly Row[],
  { clock, names, fieldNames }: Page,
): { history: Omit<HistoryItem, 'bug_id'>[]; omitted: number } {
  const shown = rows.flatMap((row) => {
    const [who, field] = [names.knownLogin(row.number('who')), fieldNames.get(row.number('fieldid'))];
    const when = clock.time(row.text('bug_when'));
    if (who === undefined || field === undefined || when === undefined) return [];
    const attachment = row.number('attach_id');
    return [{ who, field, when, attachment, comment: row.number('comment_id'), id: row.number('id'), row }];
  });
  shown.sort((a, b) => (a.when < b.when ? -1 : a.when > b.when ? 1 : a.comment - b.comment || a.id - b.id));
  const history: Omit<HistoryItem, 'bug_id'>[] = [];
  let last: (typeof shown)[number] | undefined;
  for (const one of shown) {
    const { who, field, when, attachment, comment, row } = one;
    let entry = history.at(-1);
    const isSame = entry !== undefined && last?.who === who && last.when === when;
    if (entry === undefined || !isSame) {
      entry = { when, who, changes: [] };
      history.push(entry);
    }
    const [removed, added] = [row.text('removed'), row.text('added')];
    const change = entry.changes.at(-1);
    const isFragment = last?.field === field && last.attachment === attachment && last.comment === comment;
    if (isSame && isFragment && change !== undefined) {
      change.removed = joined(field, change.removed, removed);
      change.added = joined(field, change.added, added);
    } else {
      const field_name = REST_NAMES[field] ?? field;
      entry.changes.push({
        field_name,
        removed,
        added,
        ...(attachment === 0 ? {} : { attachment_id: attachment }),
      });
    }
    last = one;
  }
  return { history, omitted: rows.length - shown.length };
}
