import { timestamp } from '../../base/time.ts';
import type { Table } from '../../table/client.ts';
import { commentKey } from '../../table/keys.ts';
import { retryStale } from '../../table/retry.ts';
import { type Action, setAction, transactWrite } from '../../table/write.ts';
import { eraseData, isErased as isErasedAttachment } from '../attachments/erased.ts';
import { attachmentRepository } from '../attachments/repository.ts';
import { erasedText, isErased } from '../comments/erased.ts';
import { commentRepository } from '../comments/repository.ts';
import { removeWords, wordIndex, wordSource } from '../comments/word-index.ts';
import type { BugItem, FieldChange } from '../schema.ts';
import { bugRepository } from './repository.ts';
import { putBugActions, putHistoryActions } from './write-bug.ts';

/**
 * Erases what never should have been stored. What it was stays with its id and its number, with a mark in the place of the text
 * or the data. It makes no event and no mail.
 *
 * @param who login or name that the history of the bug has
 */
export function eraser(table: Table, who: string) {
  const bugs = bugRepository(table, table.now);
  const comments = commentRepository(table);
  const attachments = attachmentRepository(table, table.now);
  const words = wordIndex(table);

  /** The actions that write a line of history, and change the bug so that what was read of it before is read again. */
  function historyActions(bug: BugItem, change: FieldChange): Action[] {
    const now = timestamp(table.now());
    const when = [now, bug.last_change_time, bug.last_comment_time].sort().at(-1) ?? now;
    const next = { ...bug, revision: bug.revision + 1, last_change_time: when };
    return [
      ...putBugActions(bug, next, now),
      ...putHistoryActions({ bug_id: bug.id, when, who, changes: [change] }, next.revision),
    ];
  }

  /** The actions that change the revision of a bug alone. */
  const touchActions = (bug: BugItem): Action[] =>
    putBugActions(bug, { ...bug, revision: bug.revision + 1 }, timestamp(table.now()));

  async function commentsOf(bug: number) {
    return (await Array.fromAsync(comments.ofBug(bug))).flat();
  }

  return {
    /**
     * Erases the text of a comment, and its words where no other comment of the bug has them. Repeated, it completes what was
     * interrupted.
     *
     * @returns the id of the bug, and whether it had been erased before; undefined: there is no such comment
     */
    async comment(id: number) {
      const former = (await comments.byIds([id])).get(id);
      if (former === undefined) return undefined;
      const bugId = former.bug_id;
      if (isErased(former)) return { bug: bugId, isRepeated: true };
      const erased = { ...former, text: erasedText(former) };
      const others = (await commentsOf(bugId)).filter((one) => one.id !== id);
      // The words go first: an interrupted run is repeated as long as the text is there.
      await words.addAll([wordSource(erased)]);
      await removeWords(table, wordSource(former), [...others, erased].map(wordSource));
      await retryStale('the bug', async () => {
        const bug = await bugs.byId(bugId);
        if (bug === undefined) throw new Error(`Comment ${id} has no bug: run check`);
        const change = { field_name: 'longdesc', removed: `text of comment ${id}`, added: 'erased' };
        const guard = {
          condition: '#text = :read',
          names: { '#text': 'text' },
          values: { ':read': former.text },
        };
        await transactWrite(table, [
          setAction(commentKey(former), { text: erased.text }, guard),
          // Of a private comment, the history would tell those who do not see it.
          ...(former.is_private ? touchActions(bug) : historyActions(bug, change)),
        ]);
      });
      // Others may have relied on the words meanwhile.
      await words.addAll((await commentsOf(bugId)).map(wordSource));
      return { bug: bugId, isRepeated: false };
    },

    /**
     * Erases the data of an attachment. Its name, its summary and comments on it stay.
     *
     * @returns as of a comment
     */
    async attachment(id: number) {
      const known = (await attachments.byIds([id])).get(id);
      if (known === undefined) return undefined;
      if (await isErasedAttachment(known, attachments)) return { bug: known.bug_id, isRepeated: true };
      await retryStale('the attachment', async () => {
        const [read, bug] = [(await attachments.byIds([id])).get(id), await bugs.byId(known.bug_id)];
        if (read === undefined || bug === undefined)
          throw new Error(`Attachment ${id} has no bug: run check`);
        const change = {
          ...{ field_name: 'attach_data.thedata', removed: `data of attachment ${id}`, added: 'erased' },
          attachment_id: id,
        };
        await transactWrite(table, [...(await eraseData(table, read, read)), ...historyActions(bug, change)]);
      });
      return { bug: known.bug_id, isRepeated: false };
    },
  };
}
