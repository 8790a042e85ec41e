import { isDeepStrictEqual } from 'node:util';
import {
  ACTIONS_PER_COMMENT,
  commentItems,
  putCommentActions,
  removeCommentActions,
} from '../comments/repository.ts';
import type { CommentItem } from '../comments/schema.ts';
import { sumOfHours } from '../comments/validation.ts';
import { wordIndex, wordSource } from '../comments/word-index.ts';
import type { Table } from '../dynamodb/client.ts';
import { ConditionFailed } from '../dynamodb/errors.ts';
import { sizeOf } from '../dynamodb/item-size.ts';
import { bugKey, bugPartition, historyKey, historyRange } from '../dynamodb/keys.ts';
import { readRange } from '../dynamodb/read.ts';
import {
  ABSENT,
  type Action,
  batchWrite,
  MAX_TRANSACTION_ACTIONS,
  MAX_TRANSACTION_BYTES,
  transactWriteRetrying,
} from '../dynamodb/write.ts';
import { mapConcurrent } from '../map-concurrent.ts';
import { portions } from '../portions.ts';
import { bytes } from '../text.ts';
import { timestamp } from '../time.ts';
import { aliasActions } from './alias-pointers.ts';
import { BUG_ACTIONS, countCommentsActions } from './append-comments.ts';
import { type BugItem, type HistoryItem, historyItem } from './schema.ts';
import { putBugActions } from './write-bug.ts';

/** A bug to be created, with everything that belongs to it. */
export interface NewBug {
  /** its counts and last times follow from the comments */
  bug: BugItem;
  /** in order; their counts from 0 */
  comments: CommentItem[];
  /** oldest first */
  history: HistoryItem[];
  /** the actions that write each of its attachments, whose data was written */
  attachments: Action[][];
  /** the actions by which a run after an interruption finds the id of the bug */
  claim: Action[];
  /** what an interrupted run left of other comments, to be removed; undefined: it left nothing of the bug */
  stale: CommentItem[] | undefined;
  /** whether no other writer has the ids of the bug and its comments: these need no conditions, and are written first */
  isExclusive: boolean;
}

const CONCURRENT_TRANSACTIONS = 4;
const CONCURRENT_BATCHES = 8;

/** Writes bugs with given ids, times and comments: for the catalogue. */
export function bulkBugRepository(table: Table, now: () => Date) {
  const words = wordIndex(table);
  const write = (actions: Action[]) => transactWriteRetrying(table, actions);

  /**
   * Writes a bug with its aliases and its search index. More aliases than fit one transaction are written before it;
   * after an interruption the same call completes it.
   */
  async function writeBug(before: BugItem | undefined, after: BugItem): Promise<void> {
    const actions = putBugActions(before, after, timestamp(now()));
    const aliases = aliasActions(after, before?.aliases ?? []);
    actions.push(...aliases.splice(0, MAX_TRANSACTION_ACTIONS - actions.length));
    for (const portion of portions(aliases, { max: MAX_TRANSACTION_ACTIONS })) await write(portion);
    await write(actions);
  }

  async function writeAttachments(attachments: Action[][]): Promise<void> {
    const batches = portions(attachments, { max: MAX_TRANSACTION_ACTIONS, sizeOf: ({ length }) => length });
    for (const batch of batches) await write(batch.flat());
  }

  /** The entries that the history of a bug lacks. */
  async function missingEntries({ id }: BugItem, desired: HistoryItem[]): Promise<HistoryItem[]> {
    const known = await readRange(table, { pk: bugPartition(id), ...historyRange() }, historyItem);
    return desired.filter((entry) => !known.some((one) => isDeepStrictEqual(one, entry)));
  }

  /**
   * Creates a bug that does not fit one transaction, or of which an interrupted run left something. Its comments and
   * attachments are written first, where no request sees them before the bug exists; an interrupted run can be repeated.
   */
  async function createInSteps(given: NewBug): Promise<void> {
    const { bug, comments, history, attachments, claim, stale = [] } = given;
    const stillAbsent: Action = { check: bugKey(bug.id), condition: ABSENT };
    if (claim.length > 0) await write(claim);
    for (const comment of stale) await write([stillAbsent, ...removeCommentActions(comment)]);
    for (const batch of batches(conditionalComments(given))) {
      await write([stillAbsent, ...batch.flatMap((comment) => putCommentActions(comment, true))]);
    }
    await writeAttachments(attachments);
    await batchWrite(table, historyEntries(history, 0));
    const complete = completeBug(bug, comments, history);
    await writeBug(undefined, complete);
  }

  /** Writes the comments of exclusive bugs before their pointers: a run after an interruption finds what is left by them. */
  async function writeExclusive(bugs: readonly NewBug[], hold: () => Promise<void>): Promise<void> {
    const items = bugs.flatMap(({ comments }) => comments.map(commentItems));
    const options = { concurrency: CONCURRENT_BATCHES, before: hold };
    await batchWrite(
      table,
      items.map(({ item }) => item),
      options,
    );
    await batchWrite(
      table,
      items.map(({ pointer }) => pointer),
      options,
    );
  }

  /** Creates bugs in one transaction, or one by one when it fails: the failure is that of its bug. */
  async function createTogether(sized: readonly SizedBug[]): Promise<[NewBug, ConditionFailed][]> {
    try {
      const [only] = sized;
      if (sized.length === 1 && only !== undefined && !fitsTransaction(only)) await createInSteps(only.given);
      // The search index says when a bug was written, so the time is taken as late as here.
      else await write(sized.flatMap(({ given }) => createActions(given, now())));
      return [];
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      const [only, ...others] = sized;
      if (only !== undefined && others.length === 0) return [[only.given, error]];
      return (await mapConcurrent(sized, (one) => createTogether([one]), 1)).flat();
    }
  }

  return {
    /**
     * Creates bugs with their comments, attachments and histories, as many in each transaction as fit.
     *
     * @param hold called before each write without condition; it throws when an exclusive bug is not exclusive any more
     * @returns those that were not created, because another writer created the bug, one of its comments, or an alias
     * meanwhile
     */
    async create(given: readonly NewBug[], hold: () => Promise<void>): Promise<Map<NewBug, ConditionFailed>> {
      await words.addPacked(given.flatMap(({ comments }) => comments.map(wordSource)));
      await writeExclusive(
        given.filter(({ isExclusive }) => isExclusive),
        hold,
      );
      const together = portions(
        given.map(sizedBug),
        {
          max: MAX_TRANSACTION_ACTIONS,
          sizeOf: ({ actions, needsSteps }) => (needsSteps ? ALONE : actions),
        },
        { max: MAX_TRANSACTION_BYTES, sizeOf: ({ bytes }) => bytes },
      );
      const failed = await mapConcurrent([...together], createTogether, CONCURRENT_TRANSACTIONS);
      return new Map(failed.flat());
    },

    /**
     * Replaces a bug, its aliases and attachments.
     *
     * @param existing as it was read
     * @param history oldest first; what the bug has of it already stays
     * @param attachments the actions that write each of those that changed
     * @returns the bug as it is then, and whether there was anything to change
     * @throws ConditionFailed when the bug was changed or a comment was added meanwhile, or another bug has an alias
     */
    async replace(
      existing: BugItem,
      desired: BugItem,
      history: HistoryItem[],
      attachments: Action[][],
    ): Promise<{ bug: BugItem; isChanged: boolean }> {
      await writeAttachments(attachments);
      const missing = history.length === 0 ? [] : await missingEntries(existing, history);
      await batchWrite(table, historyEntries(missing, existing.revision));
      if (isDeepStrictEqual(existing, desired)) {
        return { bug: existing, isChanged: missing.length + attachments.length > 0 };
      }
      const next = { ...desired, revision: existing.revision + missing.length + 1 };
      await writeBug(existing, next);
      return { bug: next, isChanged: true };
    },

    /**
     * Appends comments to an existing bug.
     *
     * @param comments in order; their counts follow those of the bug
     * @throws ConditionFailed when another comment was added meanwhile
     */
    async appendComments(bug: BugItem, comments: CommentItem[]): Promise<void> {
      await words.addAll(comments.map(wordSource));
      let current = bug;
      for (const batch of batches(comments)) {
        await write([
          ...batch.flatMap((comment) => putCommentActions(comment)),
          ...countCommentsActions(current, batch, now()),
        ]);
        current = {
          ...current,
          comment_count: current.comment_count + batch.length,
          last_change_time: batch.at(-1)?.creation_time ?? current.last_change_time,
        };
      }
    },
  };
}

/** A new bug, and how much of a transaction creating it takes. */
interface SizedBug {
  given: NewBug;
  actions: number;
  bytes: number;
  /** leftovers of an interrupted run are taken over one by one */
  needsSteps: boolean;
}

/** The size of what shares no transaction. */
const ALONE = MAX_TRANSACTION_ACTIONS + 1;

function sizedBug(given: NewBug): SizedBug {
  const actions = createActions(given, new Date(0));
  return {
    given,
    actions: actions.length + FEED_ACTIONS,
    bytes: sizeOf(actions),
    needsSteps: given.stale !== undefined,
  };
}

/** Of a bug whose last change is earlier than it is written. */
const FEED_ACTIONS = 1;

const conditionalComments = ({ isExclusive, comments }: NewBug): CommentItem[] =>
  isExclusive ? [] : comments;

function createActions(given: NewBug, now: Date): Action[] {
  const bug = completeBug(given.bug, given.comments, given.history);
  return [
    ...putBugActions(undefined, bug, timestamp(now)),
    ...given.claim,
    ...aliasActions(bug, []),
    ...conditionalComments(given).flatMap((comment) => putCommentActions(comment)),
    ...historyEntries(given.history, 0).map((put): Action => ({ put })),
    ...given.attachments.flat(),
  ];
}

const fitsTransaction = ({ actions, bytes, needsSteps }: SizedBug): boolean =>
  !needsSteps && actions <= MAX_TRANSACTION_ACTIONS && bytes <= MAX_TRANSACTION_BYTES;

/** A new bug with what follows from its comments and its history. */
function completeBug(bug: BugItem, comments: CommentItem[], history: HistoryItem[]): BugItem {
  const last = comments.at(-1)?.creation_time ?? bug.creation_time;
  return {
    ...bug,
    comment_count: comments.length,
    last_comment_time: last,
    last_change_time: last > bug.last_change_time ? last : bug.last_change_time,
    revision: history.length,
    hours_worked: sumOfHours(comments.map(({ work_time }) => work_time)),
  };
}

/** @param revision of the bug before them */
const historyEntries = (history: HistoryItem[], revision: number) =>
  history.map((item, index) => ({ ...historyKey(item.bug_id, item.when, revision + index + 1), ...item }));

/** Of a comment and its pointer, without the text. */
const COMMENT_OVERHEAD_BYTES = 2_000;

/** Comments in portions that fit one transaction each, with its actions for the bug. */
const batches = (comments: CommentItem[]) =>
  portions(
    comments,
    { max: MAX_TRANSACTION_ACTIONS - BUG_ACTIONS, sizeOf: () => ACTIONS_PER_COMMENT },
    { max: MAX_TRANSACTION_BYTES, sizeOf: ({ text }) => bytes(text) + COMMENT_OVERHEAD_BYTES },
  );
