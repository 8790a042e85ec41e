import { type CommentItem, commentItem } from '../comments/schema.ts';
import type { Table } from '../dynamodb/client.ts';
import { commentKey, tagChangeKey, tagChangePartition, tagKey, tagSuffixRange } from '../dynamodb/keys.ts';
import { readItem, readItems, readPages, readRange } from '../dynamodb/read.ts';
import { retry } from '../dynamodb/retry.ts';
import {
  ABSENT,
  type Action,
  ConditionFailed,
  MAX_TRANSACTION_ACTIONS,
  transactWrite,
} from '../dynamodb/write.ts';
import { errors } from '../errors.ts';
import { compareNames, normalizeName } from '../text.ts';
import { countingActions, finishTagChange, readUses } from './counts.ts';
import { type TagChange, tagChangeItem, tagItem } from './schema.ts';
import { canBeInTag, MAX_TAGS } from './validation.ts';

/** What one search may hold in memory. */
const MAX_FOUND_TAGS = 100_000;

export type TagRepository = ReturnType<typeof tagRepository>;

/** The tags on comments, and the search over all of them. */
export function tagRepository(table: Table) {
  return {
    /** How many uses tags have now, by folded tag; what cannot be a tag has none. */
    usesOf: (tags: string[]): Promise<Map<string, number>> =>
      readUses(table, tags.filter(canBeInTag).slice(0, 2 * MAX_TAGS)),

    /**
     * Adds tags to a comment, then removes tags from it, in any case, as one change; and counts them.
     *
     * @param read the comment as read before; its tags may have changed since
     * @param readUsesOf what usesOf said of these tags; others may have counted since
     * @returns its tags afterwards, sorted
     * @throws errors.requestTooLarge (400, 32000) when the comment would have over 1,000 tags
     */
    async update(
      read: CommentItem,
      add: string[],
      remove: string[],
      readUsesOf?: ReadonlyMap<string, number>,
    ): Promise<string[]> {
      const key = commentKey(read.bug_id, read.creation_time, read.count);
      return retry(table.retryTimeoutMs, async (attempt) => {
        const comment = attempt === 1 ? read : commentItem.parse(await readItem(table, key));
        const { tags, changes } = changedTags(comment.tags, add, remove);
        if (tags.length > MAX_TAGS) throw errors.requestTooLarge(`at most ${MAX_TAGS} tags on a comment`);
        if (changes.length === 0) return { done: true, value: tags };

        const change: Action = {
          update: key,
          set: 'SET tags = :tags',
          condition: 'tags = :read',
          values: { ':tags': tags, ':read': comment.tags },
        };
        const known = attempt === 1 ? readUsesOf : undefined;
        const uses = known ?? (await this.usesOf(changes.map(({ tag }) => tag)));
        const counting = changes.flatMap((one) => countingActions(one, uses.get(normalizeName(one.tag))));
        const pending = tagChangeKey(comment.id);
        try {
          if (counting.length + 2 <= MAX_TRANSACTION_ACTIONS) {
            await transactWrite(table, [change, { check: pending, condition: ABSENT }, ...counting]);
          } else {
            const left = { ...pending, comment_id: comment.id, changes };
            await transactWrite(table, [change, { put: left, condition: ABSENT }]);
            await finishTagChange(table, comment.id);
          }
          return { done: true, value: tags };
        } catch (error) {
          if (!(error instanceof ConditionFailed)) throw error;
          await finishTagChange(table, comment.id);
          return { done: false, reason: 'the tags are being changed by others' };
        }
      });
    },

    /**
     * Tags in use that contain `text`, in any case, the most used first, then by name. Reads as many items
     * as match, not as many as exist.
     *
     * @throws errors.tooManyTags (400, 32000) over 100,000
     */
    async search(text: string): Promise<string[]> {
      if (!canBeInTag(text)) return [];
      const [matching, unfinished] = await Promise.all([
        tagsContaining(table, text),
        readRange(table, { pk: tagChangePartition }),
      ]);
      for (const item of unfinished) await finishTagChange(table, tagChangeItem.parse(item).comment_id);
      const tags = unfinished.length === 0 ? matching : await tagsContaining(table, text);
      const found = (await readItems(table, [...tags].map(tagKey))).map((item) => tagItem.parse(item));
      return found.sort((a, b) => b.uses - a.uses || compareNames(a.tag, b.tag)).map(({ tag }) => tag);
    },
  };
}

/** Folded tags that contain `text`, by their suffixes that begin with it. */
async function tagsContaining(table: Table, text: string): Promise<Set<string>> {
  const tags = new Set<string>();
  for await (const page of readPages(table, tagSuffixRange(normalizeName(text)))) {
    for (const { sk } of page) tags.add(String(sk).split('#')[1] ?? '');
    if (tags.size > MAX_FOUND_TAGS) throw errors.tooManyTags(MAX_FOUND_TAGS);
  }
  return tags;
}

/** The tags after a change, sorted, and what differs. What is there already keeps its spelling. */
function changedTags(
  before: string[],
  add: string[],
  remove: string[],
): { tags: string[]; changes: TagChange[] } {
  const old = new Map(before.map((tag) => [normalizeName(tag), tag]));
  const next = new Map(old);
  for (const tag of add) if (!next.has(normalizeName(tag))) next.set(normalizeName(tag), tag);
  for (const tag of remove) next.delete(normalizeName(tag));
  const gone = [...old].filter(([normalized]) => !next.has(normalized));
  const come = [...next].filter(([normalized]) => !old.has(normalized));
  return {
    tags: [...next.values()].sort(compareNames),
    changes: [
      ...gone.map(([, tag]): TagChange => ({ tag, by: -1 })),
      ...come.map(([, tag]): TagChange => ({ tag, by: 1 })),
    ],
  };
}
