import { type BugItem, bugItem } from '../bugs/schema.ts';
import type { Table } from '../db/client.ts';
import { bugKey, commentKey, commentPointerKey, waitingCommentKey, waitingCommentRange } from '../db/keys.ts';
import { readFirst, readItem, readItems } from '../db/reading.ts';
import { retrying } from '../db/retrying.ts';
import { ABSENT, type Action, ConditionFailed, PRESENT, writeItem, writeTogether } from '../db/writing.ts';
import { errors } from '../errors.ts';
import { timestamp } from '../time.ts';
import { type CommentDraft, commentPointerItem, type WaitingComment, waitingComment } from './schema.ts';

/**
 * Writes comments of one bug, with the next counts and a time not before the last one's, all at once with the bug.
 *
 * @param bug as read before
 * @param also what is written with them
 * @returns false when others wrote something of it since: nothing was written
 */
export async function writeComments(
  table: Table,
  bug: BugItem,
  drafts: CommentDraft[],
  now: Date,
  also: Action[] = [],
): Promise<boolean> {
  const current = timestamp(now);
  const creation_time = current > bug.last_comment_time ? current : bug.last_comment_time;
  const comments = drafts.flatMap((draft, place): Action[] => {
    const { bug_id } = draft;
    const count = bug.comment_count + place;
    const comment = { ...draft, count, creation_time, attachment_id: null, tags: [] };
    return [
      { put: { ...commentKey(bug_id, creation_time, count), ...comment }, condition: ABSENT },
      { put: { ...commentPointerKey(draft.id), bug_id, creation_time, count }, condition: ABSENT },
    ];
  });
  const counted: Action = {
    update: bugKey(bug.id),
    set: 'SET comment_count = :next, last_comment_time = :time, last_change_time = :time ADD hours_worked :hours',
    condition: 'comment_count = :count',
    values: {
      ':count': bug.comment_count,
      ':next': bug.comment_count + drafts.length,
      ':time': creation_time,
      ':hours': hoursOf(drafts),
    },
  };
  try {
    await writeTogether(table, [...comments, counted, ...also]);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

/** Binary fractions do not add up to decimal ones; no more digits than these are meant. */
const hoursOf = (drafts: CommentDraft[]) =>
  Number(drafts.reduce((sum, { work_time }) => sum + work_time, 0).toFixed(6));

/** Each takes three actions of the 100 of a transaction, and the bug one. */
const MOST_TOGETHER = 32;
/** Longer than any request runs: what waits after that waits for nobody. */
const WAITS_SECONDS = 60;

/**
 * Adds a comment to a bug on which many comment at the same time. If each wrote for itself, all but one would
 * have to begin anew, again and again; so they put their comments into a row, and whoever comes through
 * writes those at its head for all.
 */
export async function writeWithOthers(table: Table, draft: CommentDraft, now: () => Date): Promise<void> {
  if (await isWritten(table, draft.id)) return;
  const expires_at = Math.floor(now().getTime() / 1_000) + WAITS_SECONDS;
  await writeItem(table, { ...waitingCommentKey(draft.bug_id, draft.id), ...draft, expires_at });
  await retrying(async () => {
    if (await isWritten(table, draft.id)) return { done: true, value: undefined };
    await writeHeadOfRow(table, draft.bug_id, now());
    return (await isWritten(table, draft.id))
      ? { done: true, value: undefined }
      : { done: false, reason: 'other comments came first' };
  });
}

const isWritten = async (table: Table, id: number): Promise<boolean> =>
  (await readItem(table, commentPointerKey(id))) !== undefined;

async function writeHeadOfRow(table: Table, bugId: number, now: Date): Promise<void> {
  const row = (await readFirst(table, waitingCommentRange(bugId), MOST_TOGETHER)).map((item) =>
    waitingComment.parse(item),
  );
  const [bug, pointers] = await Promise.all([
    currentBug(table, bugId),
    readItems(
      table,
      row.map(({ id }) => commentPointerKey(id)),
    ),
  ]);
  const written = new Set(pointers.map((item) => commentPointerItem.parse(item).id));
  const isWanted = ({ id, expires_at }: WaitingComment) =>
    !written.has(id) && expires_at * 1_000 > now.getTime();
  const drafts = row.filter(isWanted).map(({ expires_at, ...draft }) => draft);
  const leave = row.map(({ id }): Action => ({ remove: waitingCommentKey(bugId, id), condition: PRESENT }));
  if (row.length > 0) await writeComments(table, bug, drafts, now, leave);
}

async function currentBug(table: Table, id: number): Promise<BugItem> {
  const item = await readItem(table, bugKey(id));
  if (item === undefined) throw errors.bugUnknown(String(id));
  return bugItem.parse(item);
}
