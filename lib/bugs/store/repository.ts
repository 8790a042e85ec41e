import { canBeKey } from '../../base/names.ts';
import { bytes, isAllDigits } from '../../base/text.ts';
import { timestamp } from '../../base/time.ts';
import { errors } from '../../errors.ts';
import type { User } from '../../people/caller.ts';
import type { Table } from '../../table/client.ts';
import { MAX_ITEM_BYTES, sizeOf } from '../../table/consumption.ts';
import { allocateIds } from '../../table/counters.ts';
import { ConditionFailed } from '../../table/errors.ts';
import { DuplicateRequest, type IdempotencyRecord, idempotencyActions } from '../../table/idempotency.ts';
import {
  aliasKey,
  bugKey,
  bugPartition,
  commentKey,
  historyRange,
  historyRangeBefore,
} from '../../table/keys.ts';
import type { Pacer } from '../../table/pacer.ts';
import { readItem, readItems, readPages, readRange, readSized, withKey } from '../../table/read.ts';
import { retryStale } from '../../table/retry.ts';
import { MAX_TRANSACTION_ACTIONS, MAX_TRANSACTION_BYTES, transactWriteChecked } from '../../table/write.ts';
import type { BugChange } from '../changes.ts';
import { commentItem, type PendingComment } from '../comments/schema.ts';
import { MAX_COMMENT_LENGTH } from '../comments/validation.ts';
import { type Posting, type WordSource, wordIndex, wordSource } from '../comments/word-index.ts';
import { type BugItem, bugItem, bugPointerItem, type HistoryItem, historyItem } from '../schema.ts';
import { addQueuedComment } from './comment-queue.ts';
import { unchangedSettings } from './settings-repository.ts';
import {
  aliasActions,
  commitComments,
  dateChange,
  type HistoryPart,
  newAliases,
  nextCommentTime,
  unchangedProducts,
} from './write-bug.ts';

export type BugRepository = ReturnType<typeof bugRepository>;

/** The bugs of the table, with their aliases and comments. */
export function bugRepository(table: Table, now: () => Date) {
  const words = wordIndex(table);
  /**
   * Makes all of these changes, or none: bugs, comments, histories and the change log in one transaction.
   *
   * @param user whose right to make them was checked
   * @param record of the request, to be stored with them
   * @param beforehand writes what the transaction refers to, once nothing can refuse the request any more
   * @returns the bugs as they are then, by id
   * @throws StaleWrite, DuplicateRequest
   */
  async function write(
    user: User,
    changes: readonly BugChange[],
    record?: IdempotencyRecord,
    beforehand: () => Promise<void> = async () => undefined,
  ): Promise<Map<number, BugItem>> {
    const time = timestamp(now());
    const dated = changes.map((change) => dateChange(user, change, time, table.logsEvents));
    const aliases = changes.flatMap(({ before, after }) => newAliases(after, before?.aliases ?? []));
    const aliased = changes.flatMap(({ before, after }) => aliasActions(after, before?.aliases ?? []));
    const recorded = idempotencyActions(record, now());
    const checks = [
      ...unchangedProducts(changes.map(({ product }) => product)),
      ...unchangedSettings(changes.map(({ settings }) => settings)),
    ];
    const actions = [...aliased, ...recorded, ...dated.flatMap((one) => one.actions), ...checks];
    if (actions.length > MAX_TRANSACTION_ACTIONS) {
      throw errors.requestTooLarge(
        `at most ${MAX_TRANSACTION_ACTIONS} items, such as users on CC, aliases and other bugs`,
      );
    }
    if (bytes(JSON.stringify(actions)) > MAX_TRANSACTION_BYTES) {
      throw errors.requestTooLarge('3.5 MB with texts, histories and comments');
    }
    for (const [index, { before }] of changes.entries()) checkSize(before, dated[index]?.bug);
    const isNew = changes.every(({ before }) => before === undefined);
    const comments = dated.flatMap((one) => one.comments.map(wordSource));
    const postings = isNew
      ? words.allOf(comments)
      : await words.newOf([...comments, ...(await readPublished(changes))]);
    await beforehand();
    await words.writeAll(postings);
    try {
      await transactWriteChecked(table, actions, checks.length);
      return new Map(dated.map(({ bug }) => [bug.id, bug]));
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      const taken = aliases.find((_, index) => error.indices.has(index));
      if (taken !== undefined) throw errors.aliasTaken(taken);
      const isDuplicate = recorded.some((_, index) => error.indices.has(aliased.length + index));
      throw isDuplicate ? new DuplicateRequest('The request repeats an earlier one') : error;
    }
  }

  /**
   * Adds a comment to a bug: with the next count, a time not before the last comment's, and its idempotency record,
   * in one transaction with the bug. Writers that lose the race enqueue their comment; the head of the queue commits
   * the batch (group commit).
   *
   * @param bug as it was read; comments may have been added since
   * @param newWords of `newWordsOf`, if they were looked up already
   * @throws DuplicateRequest when a request with the same `Idempotency-Key` was committed meanwhile
   * @throws RetriesExhausted when the comment was not written before the deadline
   */
  async function addComment(
    bug: BugItem,
    comment: PendingComment,
    newWords: Promise<readonly Posting[]> = newWordsOf(comment),
  ): Promise<void> {
    const prepared = await newWords;
    const time = now();
    const position = { bug_id: bug.id, count: bug.comment_count, creation_time: nextCommentTime(bug, time) };
    await words.writeAll(prepared.map((posting) => ({ ...posting, comment: commentKey(position).sk })));
    const stale = await commitComments(table, bug, [comment], time);
    if (stale !== undefined) await addQueuedComment(table, comment, now);
  }

  /** Looks up which words of a comment its bug does not have yet. A request that is refused meanwhile need not await it. */
  function newWordsOf(comment: Omit<WordSource, 'key'>): Promise<readonly Posting[]> {
    // A text that is too long is refused. Its key is known when it is written.
    const text = comment.text.slice(0, 2 * MAX_COMMENT_LENGTH);
    const found = words.newOf([{ ...comment, text, key: { pk: '', sk: '' } }]);
    found.catch(() => undefined);
    return found;
  }

  /** The comments that changes make public, so that everybody may search for their words. */
  async function readPublished(changes: readonly BugChange[]): Promise<WordSource[]> {
    const published = changes.flatMap(({ privacy }) => privacy.filter(({ isPrivate }) => !isPrivate));
    const found = await readItems(
      table,
      published.map(({ key }) => key),
      commentItem,
    );
    return found.map((comment) => wordSource({ ...comment, is_private: false }));
  }

  /**
   * Reads bugs by id; unknown ones are left out.
   *
   * @param wanted ids, each once, with the read units that the bugs take, where these are known
   * @param onRead is called with the bugs of each call; an error of it ends the reading
   * @param pace of what is read for all requests
   */
  const read = (
    wanted: Iterable<readonly [id: number, units: number | undefined]>,
    onRead: (bugs: BugItem[]) => void,
    pace?: Pacer,
  ): Promise<void> =>
    readSized(
      table,
      Array.from(wanted, ([id, units]) => ({ key: bugKey(id), units })),
      bugItem,
      onRead,
      pace,
    );

  /**
   * Bugs by id; unknown ones are left out.
   *
   * @param onRead as in `read`
   */
  async function byIds(
    ids: readonly number[],
    onRead: (bugs: BugItem[]) => void = () => undefined,
  ): Promise<Map<number, BugItem>> {
    const found = new Map<number, BugItem>();
    await read(new Map(ids.map((id) => [id, undefined])), (bugs) => {
      for (const bug of bugs) found.set(bug.id, bug);
      onRead(bugs);
    });
    return found;
  }

  /**
   * Makes a change of one bug, computed again where another request changed the bug meanwhile.
   *
   * @param bug as it was read
   * @param changeOf the change of the bug as it is then
   * @throws DuplicateRequest, RetriesExhausted
   */
  async function writeAnew(
    bug: BugItem,
    user: User,
    changeOf: (bug: BugItem) => BugChange,
    record: IdempotencyRecord | undefined,
  ): Promise<void> {
    await retryStale('this bug', async (attempt) => {
      const read = attempt === 1 ? bug : ((await byIds([bug.id])).get(bug.id) ?? bug);
      await write(user, [changeOf(read)], record);
    });
  }

  return {
    write,
    writeAnew,
    addComment,
    newWordsOf,
    read,
    byIds,

    /**
     * Writes changes; a single comment by way of the queue of its bug, because many may comment at the same time. Hours
     * are not queued: they change the remaining time, which follows from the bug as it was read.
     *
     * @returns as write
     */
    async writeOrQueue(user: User, changes: readonly BugChange[]): Promise<ReadonlyMap<number, BugItem>> {
      const [only, ...others] = changes;
      if (only === undefined) return new Map();
      const [comment] = only.comments;
      const isAlone =
        others.length + only.privacy.length + only.changes.length + only.attachments.length === 0;
      const mayBeQueued = isAlone && comment?.work_time === 0;
      if (!mayBeQueued || only.before === undefined) return write(user, changes);
      const { id: bug_id } = only.before;
      await addComment(only.before, { ...comment, bug_id, creator: user.login });
      return byIds([only.before.id]);
    },

    /**
     * The ids that texts name: all digits are an id, anything else is an alias, in any case, trimmed.
     *
     * @returns in the order of the texts; undefined for an unknown alias
     */
    async idsOf(given: readonly string[]): Promise<(number | undefined)[]> {
      const names = given.map((name) => name.trim());
      const aliases = names.filter((name) => !isAllDigits(name) && canBeKey(name));
      const items = await readItems(table, aliases.map(aliasKey), withKey(bugPointerItem));
      const ids = new Map(items.map(({ pk, bug_id }) => [pk, bug_id]));
      return names.map((name) => (isAllDigits(name) ? Number(name) : ids.get(aliasKey(name).pk)));
    },

    /** A bug; unknown: undefined. */
    byId: (id: number): Promise<BugItem | undefined> => readItem(table, bugKey(id), bugItem),

    /** What changed of a bug, oldest first. */
    history: (id: number): Promise<HistoryItem[]> =>
      readRange(table, { pk: bugPartition(id), ...historyRange() }, historyItem, { isBounded: true }),

    /** A part of what changed of a bug, in its order, page by page. */
    historyPages(id: number, part: HistoryPart): AsyncGenerator<HistoryItem[]> {
      const { since, before, limit, isNewest } = part;
      const range = before === undefined ? historyRange(since) : historyRangeBefore(before, since);
      // One more, which tells whether the second of the last one is complete.
      const pageSize = limit === undefined ? {} : { pageSize: limit + 1 };
      const paging = { isBounded: true, isReverse: isNewest, ...pageSize };
      return readPages(table, { pk: bugPartition(id), ...range }, historyItem, paging);
    },

    /** Allocates ids for new flags: consecutive, the first of them is returned. */
    allocateFlagIds: (count: number): Promise<number> => allocateIds(table, 'flag', count),

    /** Allocates an id for a new bug. */
    allocateId: (): Promise<number> => allocateIds(table, 'bug'),
  };
}

/** DynamoDB allows 400 KB for a bug. The rest is kept for closing it, and for what other bugs say of it. */
const MAX_BUG_BYTES = 350_000;
/** What dependencies may not take is left for closing the bug. */
const MAX_LINKED_BYTES = 400_000;
/** The key of the item, about. */
const KEY_BYTES = 1_000;
const STATE_FIELDS = [
  ...(['status', 'resolution', 'is_confirmed', 'remaining_time', 'hours_worked'] as const),
  ...(['last_change_time', 'last_comment_time', 'comment_count', 'attachment_count', 'revision'] as const),
];
const LINK_FIELDS = ['blocks', 'depends_on', 'dupe_of'] as const;

/**
 * Checks that a bug can be stored and closed: only its state and its links may grow into what is kept for them, and
 * anything may shrink.
 */
function checkSize(before: BugItem | undefined, after: BugItem | undefined): void {
  if (after === undefined || sizeOf(after) <= MAX_BUG_BYTES) return;
  const grows = (max: number, ...reserved: (keyof BugItem)[]) => {
    const size = sizeWithout(after, reserved);
    return size > max && size > (before === undefined ? 0 : sizeWithout(before, reserved));
  };
  const isTooLarge =
    grows(MAX_BUG_BYTES, ...STATE_FIELDS, ...LINK_FIELDS) ||
    grows(MAX_LINKED_BYTES, ...STATE_FIELDS) ||
    grows(MAX_ITEM_BYTES - KEY_BYTES);
  if (isTooLarge) throw errors.requestTooLarge(`${MAX_BUG_BYTES / 1_000} KB in all fields of a bug`);
}

const sizeWithout = (bug: BugItem, fields: readonly (keyof BugItem)[]): number =>
  fields.reduce((size, field) => size - sizeOf(bug[field]), sizeOf(bug));
