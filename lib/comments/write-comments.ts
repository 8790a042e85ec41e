import { type BugItem, bugItem } from '../bugs/schema.ts';
import type { Table } from '../dynamodb/client.ts';
import { withFreshDeadline } from '../dynamodb/deadline.ts';
import {
  bugKey,
  commentKey,
  commentPointerKey,
  queuedCommentKey,
  queuedCommentRange,
} from '../dynamodb/keys.ts';
import { readFirst, readItem, readItems } from '../dynamodb/read.ts';
import { RetriesExhausted, retry } from '../dynamodb/retry.ts';
import {
  ABSENT,
  type Action,
  ConditionFailed,
  PRESENT,
  transactWrite,
  writeItem,
} from '../dynamodb/write.ts';
import { errors } from '../errors.ts';
import { timestamp } from '../time.ts';
import { type CommentDraft, type QueuedComment, queuedComment } from './schema.ts';
import { sumOfHours } from './validation.ts';

/**
 * Writes comments of one bug, with the next counts and a time not before the last one's, all at once with the bug.
 *
 * @param bug as read before
 * @param also what is written with them
 * @returns false when others wrote something of it since: nothing was written
 * @throws ConditionFailed when a condition of `also` does not hold
 */
export async function writeComments(
  table: Table,
  bug: BugItem,
  drafts: CommentDraft[],
  now: Date,
  also: Action[] = [],
): Promise<boolean> {
  const creation_time = laterOf(timestamp(now), bug.last_comment_time);
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
      ':hours': sumOfHours(drafts.map(({ work_time }) => work_time)),
    },
  };
  try {
    await transactWrite(table, [...comments, counted, ...also]);
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const ofAlso = comments.length + 1;
    if ([...error.places].some((place) => place >= ofAlso)) throw error;
    return false;
  }
}

/** Adds a comment with something else that is its own affair, against all others that comment on the bug. */
export async function writeAlone(
  table: Table,
  draft: CommentDraft,
  now: () => Date,
  also: Action[],
): Promise<void> {
  await retry(table.retryTimeoutMs, async () => {
    const bug = await currentBug(table, draft.bug_id);
    const isWritten = await writeComments(table, bug, [draft], now(), also);
    return isWritten
      ? { done: true, value: undefined }
      : { done: false, reason: 'other comments came first' };
  });
}

const laterOf = (a: string, b: string) => (b > a ? b : a);

/** Each takes three actions of the 100 of a transaction, and the bug one. */
const MAX_BATCH_COMMENTS = 32;
/** Longer than any request runs: what waits after that waits for nobody. */
const QUEUED_SECONDS = 60;

/**
 * Adds a comment to a bug on which many comment at the same time. If each wrote for itself, all but one would
 * have to begin anew, again and again; so they put their comments into a row, and the first of the row writes
 * for all. Should it not, because its process ended, the second does, then the next two, the next four, …
 */
export async function writeWithOthers(table: Table, draft: CommentDraft, now: () => Date): Promise<void> {
  const expires_at = Math.floor(now().getTime() / 1_000) + QUEUED_SECONDS;
  try {
    await writeItem(table, { ...queuedCommentKey(draft.bug_id, draft.id), ...draft, expires_at });
    await waitToBeWritten(table, draft, now);
  } catch (error) {
    const isThere = await withFreshDeadline(table.retryTimeoutMs / 4, () =>
      isWrittenAfterAll(table, draft),
    ).catch((why: unknown) => {
      throw new RetriesExhausted(`A comment could not leave the row: ${why}`, { cause: error });
    });
    if (!isThere) throw error;
  }
}

async function waitToBeWritten(table: Table, { id, bug_id }: CommentDraft, now: () => Date): Promise<void> {
  await retry(table.retryTimeoutMs, async (attempt) => {
    const isThere = attempt > 1 && (await isWritten(table, id));
    if (isThere) return { done: true, value: undefined };
    const row = await headOfRow(table, bug_id);
    const current = row.filter((one) => isCurrent(one, now()));
    const place = current.findIndex((one) => one.id === id);
    const isMyTurn = (place < 0 ? current.length : place) < 2 ** (attempt - 1);
    return isMyTurn && (await writeRow(table, bug_id, row, now())).has(id)
      ? { done: true, value: undefined }
      : { done: false, reason: 'other comments came first' };
  });
}

const isWritten = async (table: Table, id: number): Promise<boolean> =>
  (await readItem(table, commentPointerKey(id))) !== undefined;

/** Leaves the row, so that nobody writes the comment any more once it is known that it is not written. */
async function isWrittenAfterAll(table: Table, draft: CommentDraft): Promise<boolean> {
  await transactWrite(table, [leaving(draft)]);
  return isWritten(table, draft.id);
}

async function headOfRow(table: Table, bugId: number): Promise<QueuedComment[]> {
  const items = await readFirst(table, queuedCommentRange(bugId), MAX_BATCH_COMMENTS);
  return items.map((item) => queuedComment.parse(item));
}

const isCurrent = ({ expires_at }: QueuedComment, now: Date) => expires_at * 1_000 > now.getTime();

/** @returns which comments of the row are written now */
async function writeRow(table: Table, bugId: number, row: QueuedComment[], now: Date): Promise<Set<number>> {
  const pointers = row.map(({ id }) => commentPointerKey(id));
  const [bug, found] = await Promise.all([currentBug(table, bugId), readItems(table, pointers)]);
  const pointed = new Set(found.map(({ pk }) => pk));
  const written = new Set(row.flatMap(({ id }) => (pointed.has(commentPointerKey(id).pk) ? [id] : [])));

  const isWanted = (one: QueuedComment) => !written.has(one.id) && isCurrent(one, now);
  const unwanted = row.filter((one) => !isWanted(one));
  if (unwanted.length > 0) await transactWrite(table, unwanted.map(leaving));
  const drafts = row.filter(isWanted).map(({ expires_at, ...draft }) => draft);
  if (drafts.length > 0 && (await writeWhoStillWait(table, bug, drafts, now))) {
    for (const { id } of drafts) written.add(id);
  }
  return written;
}

const leaving = ({ id, bug_id }: CommentDraft): Action => ({ remove: queuedCommentKey(bug_id, id) });

/** @returns false when one of them has left the row since, or others wrote something: nothing was written */
async function writeWhoStillWait(
  table: Table,
  bug: BugItem,
  drafts: CommentDraft[],
  now: Date,
): Promise<boolean> {
  const leave = drafts.map((draft): Action => ({ ...leaving(draft), condition: PRESENT }));
  try {
    return await writeComments(table, bug, drafts, now, leave);
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

async function currentBug(table: Table, id: number): Promise<BugItem> {
  const item = await readItem(table, bugKey(id));
  if (item === undefined) throw errors.bugUnknown(String(id));
  return bugItem.parse(item);
}
