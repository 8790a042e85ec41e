import { createdAttachmentOf } from '../attachments/presenter.ts';
import type { CommentItem } from '../comments/schema.ts';
import type { FoundChange } from './change.ts';

/**
 * Guesses which changes comments belong to that do not say it: 1.1 and earlier versions wrote them, or a catalogue did. Where one
 * author changed a bug several times in a second, a comment may get an event of its own. To be removed with the version that does
 * not run beside 1.1 any more, when what 1.1 wrote is not replayed.
 *
 * @param comments in order, without the description
 * @param found the changes that are known
 * @param revision of the bug now
 * @returns all changes, in no order
 */
export function guessChanges(
  comments: readonly CommentItem[],
  found: readonly FoundChange[],
  revision: number,
): FoundChange[] {
  const changes = found.map((change) => ({ ...change }));
  const changed = changes.filter(({ kind }) => kind === 'changed').sort((a, b) => a.revision - b.revision);
  const revisionAt = (time: string): number =>
    changed.findLast((change) => change.time <= time)?.revision ?? (changed[0]?.revision ?? revision + 1) - 1;
  for (const comment of comments) {
    const { count, creation_time: time } = comment;
    const own = changeOf(comment, changes);
    if (own !== undefined && own.comments === undefined) own.comments = [count, 1];
    else {
      const comments: [number, number] = [count, 1];
      changes.push({ kind: 'commented', time, revision: revisionAt(time), comments, attachments: [] });
    }
  }
  return changes;
}

/**
 * The change that a comment came with: the one that created its attachment, whose flags are no second event, or the only one
 * that its author made in that second; undefined: it came alone.
 */
function changeOf(comment: CommentItem, changes: readonly FoundChange[]): FoundChange | undefined {
  const created = createdAttachmentOf(comment);
  const same = changes.filter(({ kind, time }) => kind === 'changed' && time === comment.creation_time);
  const creating = same.find(({ attachments }) => created !== undefined && attachments.includes(created));
  const [only, ...others] = same.filter(({ who }) => who === comment.creator);
  return creating ?? (others.length === 0 ? only : undefined);
}
