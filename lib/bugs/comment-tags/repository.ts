import * as z from 'zod/mini';
import { portions } from '../../base/collections.ts';
import { updatedNames } from '../../base/names.ts';
import { compareNames, normalizeName } from '../../base/text.ts';
import { errors } from '../../errors.ts';
import type { User } from '../../people/caller.ts';
import type { Table } from '../../table/client.ts';
import { ConditionFailed } from '../../table/errors.ts';
import { commentKey, tagKey, tagSuffixKeys, tagSuffixRange } from '../../table/keys.ts';
import { anyItem, readItem, readItems, readPages } from '../../table/read.ts';
import { retryStale } from '../../table/retry.ts';
import {
  ABSENT,
  type Action,
  MAX_TRANSACTION_ACTIONS,
  PRESENT,
  transactWrite,
  tryTransactWrite,
  updateItem,
} from '../../table/write.ts';
import { type CommentItem, commentItem } from '../comments/schema.ts';
import { canBeInTag, MAX_TAGS } from './validation.ts';

/** Bounds the time of one search: each takes a read unit, in 30 calls. */
const MAX_FOUND_TAGS = 3_000;
/** Tags that one request can add and remove: each is an action of the comment's transaction. */
const MAX_CHANGED_TAGS = MAX_TRANSACTION_ACTIONS - 1;

export type TagRepository = ReturnType<typeof tagRepository>;

/** The tags of comments, their use counts, and the search over them. */
export function tagRepository(table: Table) {
  /**
   * Changes the tags of a comment and their use counts in one transaction. Tags that are used for the first time are
   * registered before, where the transaction has no room for their suffixes.
   */
  async function change(
    read: CommentItem,
    add: string[],
    remove: string[],
    knownUses?: TagUses,
  ): Promise<string[]> {
    const key = commentKey(read);
    return retryStale('the tags', async (attempt) => {
      const comment = attempt === 1 ? read : await readItem(table, key, commentItem);
      if (comment === undefined) throw new Error(`Comment ${read.id} is gone`);
      const { tags, changes } = changedTags(comment.tags, add, remove);
      if (tags.length > MAX_TAGS) throw errors.requestTooLarge(`at most ${MAX_TAGS} tags on a comment`);
      if (changes.length > MAX_CHANGED_TAGS) {
        throw errors.requestTooLarge(`at most ${MAX_CHANGED_TAGS} tags of a comment in one request`);
      }
      if (changes.length === 0) return tags;

      const names = changes.map(({ tag }) => tag);
      const uses = (attempt === 1 ? knownUses : undefined) ?? (await readUses(table, names));
      const update: Action = {
        update: key,
        set: 'SET tags = :tags',
        condition: 'tags = :read',
        values: { ':tags': tags, ':read': comment.tags },
      };
      const actions = [update, ...countingActions(changes, uses)];
      const fits = actions.length <= MAX_TRANSACTION_ACTIONS;
      if (!fits) await registerTags(table, changes, uses);
      await transactWrite(table, fits ? actions : [update, ...countOnlyActions(changes)]);
      if (!fits) await unregisterUnused(table, changes, uses);
      return tags;
    });
  }

  return {
    /** Use counts by normalized tag; what cannot be a tag is ignored. */
    usesOf: (tags: string[]): Promise<TagUses> =>
      readUses(table, tags.filter(canBeInTag).slice(0, 2 * MAX_CHANGED_TAGS)),

    /**
     * Adds tags to a comment, then removes tags, in any case, as one change.
     *
     * @param _user whose right to tag was checked
     * @param comment as it was read
     * @param uses result of usesOf for these tags, as it was read
     * @returns the tags of the comment afterwards, sorted
     */
    update: (
      _user: User,
      comment: CommentItem,
      add: string[],
      remove: string[],
      uses: TagUses,
    ): Promise<string[]> => change(comment, add, remove, uses),

    /** Removes and adds any number of tags of a comment, some at a time: for the catalogue. */
    async changeAll(comment: CommentItem, add: string[], remove: string[] = []): Promise<void> {
      let current = comment.tags;
      for (const portion of portions(remove, { max: MAX_CHANGED_TAGS })) {
        current = await change({ ...comment, tags: current }, [], portion);
      }
      for (const portion of portions(add, { max: MAX_CHANGED_TAGS })) {
        current = await change({ ...comment, tags: current }, portion, []);
      }
    },

    /** Sets the spelling in which the search shows a tag, if the tag is in use. */
    async respell(tag: string): Promise<void> {
      const update = {
        update: tagKey(tag),
        set: 'SET tag = :tag',
        condition: PRESENT,
        values: { ':tag': tag },
      };
      await updateItem(table, update).catch((error: unknown) => {
        if (!(error instanceof ConditionFailed)) throw error;
      });
    },

    /** The normalized tags that contain `text`, in any case, by their suffixes that begin with it: as many items are read as match, not as many as exist. */
    async containing(text: string): Promise<string[]> {
      if (!canBeInTag(text)) return [];
      const tags = new Set<string>();
      for await (const page of readPages(table, tagSuffixRange(normalizeName(text)), anyItem)) {
        for (const { sk } of page) tags.add(sk.split('#')[1] ?? '');
        if (tags.size > MAX_FOUND_TAGS) throw errors.tooManyTags(MAX_FOUND_TAGS);
      }
      return [...tags];
    },

    /** Tags by their normalized names in their stored spelling, the most used first, then by name. */
    async byUse(names: string[]): Promise<string[]> {
      const found = await readItems(table, names.map(tagKey), tagItem);
      return found
        .filter(({ uses }) => uses > 0)
        .sort((a, b) => b.uses - a.uses || compareNames(a.tag, b.tag))
        .map(({ tag }) => tag);
    },
  };
}

/** The tags after a change, sorted, and the differences. An existing tag keeps its spelling. */
function changedTags(
  before: string[],
  add: string[],
  remove: string[],
): { tags: string[]; changes: TagChange[] } {
  const old = new Map(before.map((tag) => [normalizeName(tag), tag]));
  const next = new Map(updatedNames(before, { add, remove }).map((tag) => [normalizeName(tag), tag]));
  const removed = [...old].filter(([name]) => !next.has(name));
  const added = [...next].filter(([name]) => !old.has(name));
  return {
    tags: [...next.values()].sort(compareNames),
    changes: [
      ...removed.map(([, tag]): TagChange => ({ tag, by: -1 })),
      ...added.map(([, tag]): TagChange => ({ tag, by: 1 })),
    ],
  };
}

/** Use counts by normalized tag; tags that are not registered are left out. */
export type TagUses = ReadonlyMap<string, number>;

/** Reads the use counts of tags. */
async function readUses(table: Table, tags: string[]): Promise<TagUses> {
  const items = await readItems(table, tags.map(tagKey), tagItem);
  return new Map(items.map(({ tag, uses }) => [normalizeName(tag), uses]));
}

const usesOf = (uses: TagUses, { tag }: TagChange) => uses.get(normalizeName(tag));

/**
 * The transaction actions that count changes, and register or unregister tags with their suffixes: for changes that
 * fit into one transaction.
 *
 * @param uses as read; the conditions hold only while it is still so where a tag is registered or unregistered
 */
function countingActions(changes: TagChange[], uses: TagUses): Action[] {
  return changes.flatMap((change): Action[] => {
    const current = usesOf(uses, change);
    if (change.by === 1 && current === undefined) return registerActions(change.tag, 1);
    if (change.by === -1 && (current ?? 0) <= 1) return unregisterActions(change.tag, 1);
    return [countAction(change, change.by === 1 ? PRESENT : 'uses > :one')];
  });
}

/** The same with one action a tag, for tags that are registered: a use count may become 0. */
const countOnlyActions = (changes: TagChange[]): Action[] =>
  changes.map((change) => countAction(change, PRESENT));

function countAction({ tag, by }: TagChange, condition: string): Action {
  const values = condition.includes(':one') ? { ':by': by, ':one': 1 } : { ':by': by };
  return { update: tagKey(tag), set: 'ADD uses :by', condition, values };
}

function registerActions(tag: string, uses: number): Action[] {
  return [
    { put: { ...tagKey(tag), tag, uses }, condition: ABSENT },
    ...tagSuffixKeys(tag).map((key): Action => ({ put: { ...key } })),
  ];
}

/** @param uses the tag is unregistered only while it has so many */
function unregisterActions(tag: string, uses: number): Action[] {
  return [
    { remove: tagKey(tag), condition: 'uses = :uses', values: { ':uses': uses } },
    ...tagSuffixKeys(tag).map((key): Action => ({ remove: key })),
  ];
}

/** Registers the tags of changes that are not registered, with no uses yet. Steps: one transaction for four tags. */
async function registerTags(table: Table, changes: TagChange[], uses: TagUses): Promise<void> {
  const unknown = changes.filter((change) => change.by === 1 && usesOf(uses, change) === undefined);
  const registrations = unknown.map(({ tag }) => registerActions(tag, 0));
  const limit = { max: MAX_TRANSACTION_ACTIONS, sizeOf: (actions: Action[]) => actions.length };
  for (const transaction of portions(registrations, limit)) {
    // When it fails, another request that registers the same tag has done the work.
    await tryTransactWrite(table, transaction.flat());
  }
}

/**
 * Unregisters the tags of changes that have no uses left. What another request uses again meanwhile stays, as does
 * what cannot be removed now: the search ignores it, and the integrity check repairs it.
 */
async function unregisterUnused(table: Table, changes: TagChange[], uses: TagUses): Promise<void> {
  const last = changes.filter((change) => change.by === -1 && (usesOf(uses, change) ?? 0) <= 1);
  for (const { tag } of last) {
    // The change of the comment is committed: an error here must not be reported to the client.
    await transactWrite(table, unregisterActions(tag, 0)).catch(() => undefined);
  }
}

/** A tag that is registered for the search. */
export const tagItem = z.object({
  /** as first spelled anywhere */
  tag: z.string(),
  /** number of comments that have it; with 0 the search ignores it */
  uses: z.int(),
});
/** A change of the use count of one tag. */
interface TagChange {
  tag: string;
  by: 1 | -1;
}
