import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { mapConcurrent, portions } from '../../base/collections.ts';
import { bytes } from '../../base/text.ts';
import { timestamp } from '../../base/time.ts';
import { type ReadProduct, unchangedProduct } from '../../products/repository.ts';
import type { Table } from '../../table/client.ts';
import { sizeOf } from '../../table/consumption.ts';
import { ConditionFailed } from '../../table/errors.ts';
import {
  attachmentPointerKey,
  bugApplyingKey,
  bugKey,
  bugPartition,
  commentPointerKey,
  historyKey,
  historyRange,
  keyOf,
} from '../../table/keys.ts';
import { anyItem, type Item, readRange } from '../../table/read.ts';
import {
  ABSENT,
  type Action,
  MAX_TRANSACTION_ACTIONS,
  MAX_TRANSACTION_BYTES,
  transactWriteRetrying,
} from '../../table/write.ts';
import { withLogTime } from '../change-log/change-log.ts';
import type { LoggedChange } from '../change-log/logged-change.ts';
import { attributesOf, type ChangeRecord } from '../changes.ts';
import { ACTIONS_PER_COMMENT, putCommentActions } from '../comments/repository.ts';
import type { CommentItem } from '../comments/schema.ts';
import { sumOfHours } from '../comments/validation.ts';
import { addPackedWords, wordIndex, wordSource } from '../comments/word-index.ts';
import { type BugItem, type HistoryItem, historyItem } from '../schema.ts';
import type { ReadSettings } from '../values.ts';
import { missingHistory } from './missing-history.ts';
import { unchangedSettings } from './settings-repository.ts';
import {
  aliasActions,
  BUG_ACTIONS,
  followsProduct,
  newAliases,
  putBugActions,
  unchanged,
  unchangedProducts,
  withComments,
} from './write-bug.ts';

/** Says which run has begun to write a bug in steps; it is removed in the transaction that makes the bug exist. */
export const bugApplyingItem = z.object({
  bug_id: z.int(),
  run: z.string(),
  /** `YYYY-MM-DDThh:mm:ssZ` */
  since: z.string(),
});

/** A bug to be created, with everything that belongs to it. */
export interface NewBug {
  /** its counts and last times follow from the comments */
  bug: BugItem;
  /** as its groups follow from it */
  product: ReadProduct;
  /** as its status follows from them, where none is given */
  settings: ReadSettings;
  /** in order; their counts from 0 */
  comments: CommentItem[];
  /** oldest first */
  history: HistoryItem[];
  /** the actions that write each of its attachments, whose data was written */
  attachments: Action[][];
  /** whether another run has begun to write the bug, and was perhaps interrupted */
  isBegun: boolean;
}

const CONCURRENT_TRANSACTIONS = 4;
/** Changes of aliases in one transaction, beside the bug with its entries in the change log. */
const MAX_ALIASES = 80;

/**
 * Writes bugs with given ids, times and comments: for the catalogue.
 *
 * @param firstRevision of new bugs: more than an earlier bug of the same id had, which was removed
 */
export function bulkBugRepository(table: Table, now: () => Date, firstRevision = 0) {
  const words = wordIndex(table);
  const write = (actions: Action[]) => transactWriteRetrying(table, actions);

  /**
   * Writes a bug with its aliases, and logs it. More aliases than fit one transaction follow in further ones,
   * each with the bug.
   *
   * @param first further actions of the first transaction
   * @param change as in putBugActions
   * @returns the bug as it is then
   */
  async function writeBug(
    before: BugItem | undefined,
    after: BugItem,
    first: Action[] = [],
    change?: LoggedChange,
  ): Promise<BugItem> {
    let [current, extra] = [before, first];
    for (let step = 0; ; step += 1) {
      const aliases = nextAliases(current?.aliases ?? [], after.aliases);
      const time = timestamp(now());
      const next = withLogTime({ ...after, aliases, revision: after.revision + step }, time);
      const actions = putBugActions(current, next, time, step === 0 ? change : undefined);
      await write([...extra, ...actions, ...aliasActions(next, current?.aliases ?? [])]);
      if (aliases === after.aliases) return next;
      [current, extra] = [next, []];
    }
  }

  /** Writes what belongs to bugs, as much in each transaction as fits. @param held conditions of each */
  async function writeAll(groups: Action[][], held: Action[] = []): Promise<void> {
    const max = MAX_TRANSACTION_ACTIONS - held.length;
    const limits = [
      { max, sizeOf: (group: Action[]) => group.length },
      { max: MAX_TRANSACTION_BYTES, sizeOf },
    ];
    for (const batch of portions(groups, ...limits)) await write([...held, ...batch.flat()]);
  }

  /**
   * Creates a bug that does not fit one transaction, or that another run has begun. Its comments, history and attachments
   * are written first, where no request sees them before the bug exists. Each transaction has the condition that no other
   * run has begun the bug meanwhile, so that what another run wrote is removed only where that run goes no further.
   */
  async function createInSteps(given: NewBug): Promise<void> {
    const { bug, comments, history, attachments } = given;
    const { id } = bug;
    const [key, run] = [bugApplyingKey(id), randomUUID()];
    const isHeld = { condition: 'run = :run', values: { ':run': run } };
    const held: Action = { check: key, ...isHeld };
    const applying = { bug_id: id, run, since: timestamp(now()) };
    await write([{ put: { ...key, ...applying } }, { check: bugKey(id), condition: ABSENT }]);
    const begun = await readRange(table, { pk: bugPartition(id) }, anyItem);
    await writeAll(begun.filter(({ sk }) => sk !== key.sk).map(removeActions), [held]);
    const parts = [
      ...comments.map(putCommentActions),
      ...attachments,
      ...historyActions(history, firstRevision),
    ];
    await writeAll(parts, [held]);
    const first = [{ remove: key, ...isHeld }, ...unchangedSources([given])];
    await writeBug(undefined, completeBug(bug, comments, history, firstRevision), first);
  }

  /** Creates bugs in one transaction, or one by one when it fails: the failure is that of its bug. */
  async function createTogether(
    sized: readonly ReturnType<typeof sizedBug>[],
  ): Promise<[NewBug, ConditionFailed][]> {
    try {
      const [only] = sized;
      if (only !== undefined && only.actions > MAX_BUGS_ACTIONS) await createInSteps(only.given);
      // The change log says when a bug was written, so the time is taken as late as here.
      else {
        const created = sized.flatMap(({ given }) => createActions(given, now(), firstRevision));
        await write([...created, ...unchangedSources(sized.map(({ given }) => given))]);
      }
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
     * @returns those that were not created, because another writer created the bug, one of its comments, or an alias, or
     * changed its product, meanwhile
     */
    async create(given: readonly NewBug[]): Promise<Map<NewBug, ConditionFailed>> {
      await addPackedWords(
        table,
        given.flatMap(({ comments }) => comments.map(wordSource)),
      );
      // Transactions that check the same product would conflict with each other.
      const ofProducts = Map.groupBy(given, ({ product }) => product.id).values();
      const failed = await mapConcurrent(
        [...ofProducts],
        async (bugs) => {
          const together = portions(
            bugs.map(sizedBug),
            { max: MAX_BUGS_ACTIONS, sizeOf: ({ actions }) => actions },
            { max: MAX_TRANSACTION_BYTES, sizeOf: ({ bytes }) => bytes },
          );
          return (await mapConcurrent([...together], createTogether, 1)).flat();
        },
        CONCURRENT_TRANSACTIONS,
      );
      return new Map(failed.flat());
    },

    /**
     * Replaces a bug, its aliases and attachments.
     *
     * @param existing as it was read
     * @param product as the groups of the bug follow from it
     * @param history oldest first; what the bug has of it already stays
     * @param attachments the actions that write each of those that changed
     * @param own a change that is made now; where the table logs events, those who follow the bug are told of it
     * @returns the bug as it is then, and whether there was anything to change
     * @throws ConditionFailed when the bug or its product was changed, a comment was added meanwhile, or another bug has an
     * alias
     */
    async replace(
      existing: BugItem,
      desired: BugItem,
      product: ReadProduct,
      history: HistoryItem[],
      attachments: Action[][],
      own?: { entry: HistoryItem; record: ChangeRecord },
    ): Promise<{ bug: BugItem; isChanged: boolean }> {
      await writeAll(attachments);
      const range = { pk: bugPartition(existing.id), ...historyRange() };
      const known = history.length === 0 ? [] : await readRange(table, range, historyItem);
      const missing = missingHistory(known, history);
      const held = { check: bugKey(existing.id), ...unchanged(existing) };
      if (own !== undefined) missing.push({ ...own.entry, ...attributesOf(own.record) });
      await writeAll(historyActions(missing, existing.revision), [held]);
      if (isDeepStrictEqual(existing, desired)) {
        return { bug: existing, isChanged: missing.length + attachments.length > 0 };
      }
      const next = { ...desired, revision: existing.revision + missing.length + 1 };
      const first = followsProduct(existing, next) ? [unchangedProduct(product)] : [];
      const revision = existing.revision + missing.length;
      const change: LoggedChange | undefined =
        own === undefined || !table.logsEvents
          ? undefined
          : { kind: 'changed', time: own.entry.when, revision };
      return { bug: await writeBug(existing, next, first, change), isChanged: true };
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
        const time = timestamp(now());
        const next = withLogTime(withComments(current, batch), time);
        await write([...putBugActions(current, next, time), ...batch.flatMap(putCommentActions)]);
        current = next;
      }
    },
  };
}

/** Of bugs in one transaction, beside the checks of their product and of the settings. */
const MAX_BUGS_ACTIONS = MAX_TRANSACTION_ACTIONS - 2;

/** The transaction actions that fail when what new bugs follow from has changed since it was read. */
const unchangedSources = (bugs: readonly NewBug[]): Action[] => [
  ...unchangedProducts(bugs.map(({ product }) => product)),
  ...unchangedSettings(bugs.map(({ settings }) => settings)),
];

/** A new bug, and how much of a transaction creating it takes; of one that is written in steps more than there is. */
function sizedBug(given: NewBug) {
  const actions = createActions(given, new Date(0), 0);
  const size = sizeOf(actions);
  // What another run has begun is replaced.
  const isAlone = given.isBegun || size > MAX_TRANSACTION_BYTES;
  return { given, actions: isAlone ? MAX_TRANSACTION_ACTIONS : actions.length, bytes: size };
}

/** The actions that create a bug, and fail when another run has begun it. */
function createActions(given: NewBug, now: Date, firstRevision: number): Action[] {
  const bug = completeBug(given.bug, given.comments, given.history, firstRevision);
  return [
    ...putBugActions(undefined, bug, timestamp(now)),
    { check: bugApplyingKey(bug.id), condition: ABSENT },
    ...aliasActions(bug, []),
    ...given.comments.flatMap(putCommentActions),
    ...historyActions(given.history, firstRevision).flat(),
    ...given.attachments.flat(),
  ];
}

const identified = z.object({ id: z.int(), bug_id: z.int() });

/** The transaction actions that remove an item of a bug that does not exist, with its pointer. */
export function removeActions(item: Item): Action[] {
  const { data } = identified.safeParse(item);
  const isComment = item.sk.startsWith('COMMENT#');
  const remove: Action = { remove: keyOf(item) };
  if (data === undefined || !(isComment || item.sk.startsWith('ATTACHMENT#'))) return [remove];
  const pointer = isComment ? commentPointerKey(data.id) : attachmentPointerKey(data.id);
  const condition = 'attribute_not_exists(pk) OR bug_id = :bug';
  return [remove, { remove: pointer, condition, values: { ':bug': data.bug_id } }];
}

/** The aliases that a bug has after the next transaction: the desired ones, if these are not too many changes. */
function nextAliases(current: string[], desired: string[]): string[] {
  const removed = newAliases({ aliases: current }, desired);
  const added = newAliases({ aliases: desired }, current);
  if (removed.length + added.length <= MAX_ALIASES) return desired;
  const now = new Set(removed.slice(0, MAX_ALIASES));
  return [...current.filter((alias) => !now.has(alias)), ...added.slice(0, MAX_ALIASES - now.size)];
}

/** A new bug with what follows from its comments and its history. */
function completeBug(
  bug: BugItem,
  comments: CommentItem[],
  history: HistoryItem[],
  firstRevision: number,
): BugItem {
  const last = comments.at(-1)?.creation_time ?? bug.creation_time;
  return {
    ...bug,
    comment_count: comments.length,
    last_comment_time: last,
    revision: firstRevision + history.length,
    hours_worked: sumOfHours(comments.map(({ work_time }) => work_time)),
  };
}

/** The action that writes each change. @param revision of the bug before them */
const historyActions = (history: HistoryItem[], revision: number): Action[][] =>
  history.map((item, index) => [
    { put: { ...historyKey(item.bug_id, item.when, revision + index + 1), ...item } },
  ]);

/** Of a comment and its pointer, without the text. */
const COMMENT_OVERHEAD_BYTES = 2_000;

/** Comments in portions that fit one transaction each, with its actions for the bug. */
const batches = (comments: CommentItem[]) =>
  portions(
    comments,
    { max: MAX_TRANSACTION_ACTIONS - BUG_ACTIONS, sizeOf: () => ACTIONS_PER_COMMENT },
    { max: MAX_TRANSACTION_BYTES, sizeOf: ({ text }) => bytes(text) + COMMENT_OVERHEAD_BYTES },
  );
