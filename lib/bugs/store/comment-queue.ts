import { errors } from '../../errors.ts';
import type { Table } from '../../table/client.ts';
import type { StaleWrite } from '../../table/errors.ts';
import {
  DuplicateRequest,
  type IdempotencyRecord,
  readIdempotencyRecords,
  toSeconds,
} from '../../table/idempotency.ts';
import { bugKey, commentPointerKey, queuedCommentKey, queuedCommentRange } from '../../table/keys.ts';
import { anyItem, readFirst, readItem, readItems } from '../../table/read.ts';
import { RetriesExhausted, retry, withFreshDeadline } from '../../table/retry.ts';
import { type Action, deleteItem, MAX_TRANSACTION_ACTIONS, PRESENT, putItem } from '../../table/write.ts';
import { ACTIONS_PER_COMMENT } from '../comments/repository.ts';
import {
  type PendingComment,
  pendingComment,
  type QueuedComment,
  queuedComment,
} from '../comments/schema.ts';
import { type BugItem, bugItem } from '../schema.ts';
import { actionsOfComment, BUG_ACTIONS, commitComments } from './write-bug.ts';

/** As many as fit into one transaction: each has an idempotency record and is removed from the queue, too. */
const MAX_BATCH_COMMENTS = Math.floor((MAX_TRANSACTION_ACTIONS - BUG_ACTIONS) / (ACTIONS_PER_COMMENT + 2));
/** A multiple of the retry budget: longer than any request runs. */
const QUEUED_BUDGETS = 3;

/**
 * Adds a comment to a bug that has many concurrent writers. If each wrote its own comment, all but one would have to
 * start again, over and over. Instead each puts its comment into the queue of the bug, and the head of the queue
 * commits a batch. If the process of the head ends, others of the batch take over.
 *
 * @throws DuplicateRequest, RetriesExhausted; in both cases the comment is not written
 */
export async function addQueuedComment(
  table: Table,
  comment: PendingComment,
  now: () => Date,
): Promise<void> {
  const expires_at = toSeconds(now()) + Math.ceil((QUEUED_BUDGETS * table.retryTimeoutMs) / 1_000);
  try {
    await putItem(table, { ...queuedCommentKey(comment.bug_id, comment.id), ...comment, expires_at });
    await waitForCommit(table, comment, now);
  } catch (error) {
    // So that it cannot be committed later.
    const wasCommitted = await withFreshDeadline(table.retryTimeoutMs / 4, async () => {
      await deleteItem(table, queuedCommentKey(comment.bug_id, comment.id));
      return isCommitted(table, comment.id);
    }).catch((reason: unknown) => {
      throw new RetriesExhausted(`A comment could not be removed from the queue: ${reason}`, {
        cause: error,
      });
    });
    if (!wasCommitted) throw error;
  }
}

const isCommitted = async (table: Table, id: number): Promise<boolean> =>
  (await readItem(table, commentPointerKey(id), anyItem)) !== undefined;

async function waitForCommit(table: Table, { id, bug_id }: PendingComment, now: () => Date): Promise<void> {
  let lastHead: number | undefined;
  let isStalled = false;
  await retry(table.retryTimeoutMs, async (attempt) => {
    if (attempt > 1 && (await hasLeftQueue(table, bug_id, id))) {
      if (await isCommitted(table, id)) return { done: true, value: undefined };
      throw new DuplicateRequest(`Comment ${id} repeats an earlier request`);
    }
    // The head of the queue commits. If it has not since the last attempt, its process may have ended: then any of the
    // batch does.
    const queue = await readQueue(table, bug_id, isStalled ? MAX_BATCH_COMMENTS : 1);
    const isLeader = queue.some((entry) => entry.id === id || !isActive(entry, now()));
    isStalled = queue[0]?.id === lastHead;
    lastHead = queue[0]?.id;
    const stale = isLeader ? await commitBatch(table, bug_id, now()) : undefined;
    return isLeader && (await hasLeftQueue(table, bug_id, id)) && (await isCommitted(table, id))
      ? { done: true, value: undefined }
      : { done: false, reason: 'other comments are written first', cause: stale };
  });
}

const hasLeftQueue = async (table: Table, bugId: number, id: number): Promise<boolean> =>
  (await readItem(table, queuedCommentKey(bugId, id), anyItem)) === undefined;

const readQueue = (table: Table, bugId: number, limit: number): Promise<QueuedComment[]> =>
  readFirst(table, queuedCommentRange(bugId), queuedComment, Math.min(limit, MAX_BATCH_COMMENTS));

const isActive = ({ expires_at }: QueuedComment, now: Date) => expires_at > toSeconds(now);

/**
 * Commits the first comments of the queue, and removes those that are committed, expired or duplicates.
 *
 * @returns why nothing was committed, when another writer was faster
 */
async function commitBatch(table: Table, bugId: number, now: Date): Promise<StaleWrite | undefined> {
  const queue = await readQueue(table, bugId, MAX_BATCH_COMMENTS);
  const [bug, committed, duplicates] = await Promise.all([
    readBug(table, bugId),
    readCommitted(table, queue),
    findDuplicates(table, queue, now),
  ]);
  const isObsolete = (entry: QueuedComment) =>
    !isActive(entry, now) || committed.has(entry.id) || duplicates.has(entry.id);
  for (const { bug_id, id } of queue.filter(isObsolete)) {
    await deleteItem(table, queuedCommentKey(bug_id, id));
  }
  const active = queue.filter((entry) => !isObsolete(entry));
  const pending = fitting(firstOfEachKey(active).map((entry) => pendingComment.parse(entry)));
  if (pending.length === 0) return undefined;
  return commitComments(table, bug, pending, now, pending.map(dequeueAction));
}

/** The first comments, as many as fit into one transaction. */
function fitting(pending: PendingComment[]): PendingComment[] {
  let actions = BUG_ACTIONS;
  return pending.filter((comment) => {
    actions += actionsOfComment(comment) + 1;
    return actions <= MAX_TRANSACTION_ACTIONS;
  });
}

/** Fails the batch when the request of a comment has given up and removed it from the queue. */
const dequeueAction = ({ id, bug_id }: PendingComment): Action => ({
  remove: queuedCommentKey(bug_id, id),
  condition: PRESENT,
});

async function readCommitted(table: Table, queue: QueuedComment[]): Promise<Set<number>> {
  const keysOfQueue = queue.map(({ id }) => commentPointerKey(id));
  const found = await readItems(table, keysOfQueue, anyItem);
  const keys = new Set(found.map(({ pk }) => pk));
  return new Set(queue.flatMap(({ id }) => (keys.has(commentPointerKey(id).pk) ? [id] : [])));
}

/** The ids of the entries whose idempotency key is recorded, so committed, with another comment. */
async function findDuplicates(table: Table, queue: QueuedComment[], now: Date): Promise<Set<number>> {
  const own = queue.flatMap(({ idempotency }) => idempotency ?? []);
  const records = own.length === 0 ? [] : await readIdempotencyRecords(table, own, now);
  const recorded = new Map(records.map((record) => [identityOf(record), record.id]));
  const isDuplicate = (record: IdempotencyRecord) =>
    recorded.has(identityOf(record)) && recorded.get(identityOf(record)) !== record.id;
  return new Set(own.filter(isDuplicate).map(({ id }) => id));
}

/** The others with the same idempotency key stay in the queue: the first one's request may still give up. */
function firstOfEachKey(queue: QueuedComment[]): QueuedComment[] {
  const seen = new Set<string>();
  return queue.filter(({ idempotency }) => {
    if (idempotency === undefined) return true;
    const identity = identityOf(idempotency);
    if (seen.has(identity)) return false;
    seen.add(identity);
    return true;
  });
}

const identityOf = ({ user_id, key_hash }: IdempotencyRecord) => `${user_id} ${key_hash}`;

async function readBug(table: Table, id: number): Promise<BugItem> {
  const bug = await readItem(table, bugKey(id), bugItem);
  if (bug === undefined) throw errors.bugUnknown(String(id));
  return bug;
}
