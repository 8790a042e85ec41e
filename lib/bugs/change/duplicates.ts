import { updatedNames } from '../../base/names.ts';
import { normalizeName } from '../../base/text.ts';
import type { UserItem } from '../../people/schema.ts';
import { contentOf } from '../comments/validation.ts';
import type { BugDrafts } from './drafts.ts';

/** What the comment on a duplicate says. */
export const duplicateText = (original: number): string =>
  `*** This bug has been marked as a duplicate of bug ${original} ***`;

/**
 * Notes on the original that a bug is a duplicate of it: in a comment, and with the reporter on CC, unless that would
 * show the reporter a restricted bug.
 *
 * @param drafts has both bugs
 * @param users by normalized login, with the reporter
 */
export function noteDuplicate(
  drafts: BugDrafts,
  id: number,
  original: number,
  users: ReadonlyMap<string, UserItem>,
): void {
  const [bug, other] = [drafts.get(id), drafts.get(original)];
  if (bug === undefined || other === undefined) return;
  const text = `*** Bug ${id} has been marked as a duplicate of this bug. ***`;
  drafts.comment(original, contentOf(text));
  const reporter = users.get(normalizeName(bug.reporter));
  const groups = new Set(reporter?.groups.map(normalizeName));
  const isKnown = normalizeName(other.reporter) === normalizeName(bug.reporter);
  if (isKnown || !other.groups.every((group) => groups.has(normalizeName(group)))) return;
  drafts.change(original, { cc: updatedNames(other.cc, { add: [bug.reporter] }) });
}
