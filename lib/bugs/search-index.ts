import { changedKey, type Key, productBugKey, userBugKey } from '../dynamodb/keys.ts';
import type { Action } from '../dynamodb/write.ts';
import type { BugItem } from './schema.ts';
import { isOpenStatus } from './workflow.ts';

/**
 * The keys of the items by which searches find a bug: under its product, its users, and the time of its last change.
 * They are written in the transaction that writes the bug, so that a search finds what was just written.
 */
export function searchIndexKeys(bug: BugItem): Key[] {
  const { id, assigned_to, reporter, qa_contact, cc } = bug;
  const of = (role: Parameters<typeof userBugKey>[1], logins: string[]) =>
    logins.filter((login) => login !== '').map((login) => userBugKey(login, role, id));
  return [
    productBugKey(bug.product_id, isOpenStatus(bug.status), id),
    ...of('ASSIGNEE', [assigned_to]),
    ...of('CC', cc),
    ...of('QA', [qa_contact]),
    ...of('REPORTER', [reporter]),
    changedKey(id, bug.last_change_time),
  ];
}

/**
 * The transaction actions by which the search index follows a change of a bug.
 *
 * @param before undefined: the bug is new
 */
export function searchIndexActions(before: BugItem | undefined, after: BugItem): Action[] {
  const textOf = ({ pk, sk }: Key) => `${pk} ${sk}`;
  const byText = (bug: BugItem | undefined) =>
    new Map((bug === undefined ? [] : searchIndexKeys(bug)).map((key) => [textOf(key), key]));
  const [old, next] = [byText(before), byText(after)];
  return [
    ...[...next].flatMap(([text, key]): Action[] => (old.has(text) ? [] : [putIndexAction(key, after.id)])),
    ...[...old].flatMap(([text, key]): Action[] => (next.has(text) ? [] : [{ remove: key }])),
  ];
}

/**
 * The transaction action that enters a change into the search index where the entry of the change before is left: a
 * comment takes one write more so. Readers skip entries whose time is not that of the bug's last change.
 */
export const changedAction = (bug: number, time: string): Action =>
  putIndexAction(changedKey(bug, time), bug);

const putIndexAction = (key: Key, bug_id: number): Action => ({ put: { ...key, bug_id } });
