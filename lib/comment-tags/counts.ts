import type { Table } from '../dynamodb/client.ts';
import { type Key, tagChangeKey, tagKey, tagSuffixKeys } from '../dynamodb/keys.ts';
import { type Item, readItem, readItems } from '../dynamodb/read.ts';
import { retry } from '../dynamodb/retry.ts';
import {
  ABSENT,
  type Action,
  ConditionFailed,
  MAX_TRANSACTION_ACTIONS,
  PRESENT,
  transactWrite,
} from '../dynamodb/write.ts';
import { normalizeName } from '../text.ts';
import { type TagChange, type TagChangeItem, tagChangeItem, tagItem } from './schema.ts';
import { MAX_TAGS } from './validation.ts';

/** How many uses tags have now, by folded tag; tags not in use are left out. */
export async function readUses(table: Table, tags: string[]): Promise<Map<string, number>> {
  const items = (await readItems(table, tags.map(tagKey))).map((item) => tagItem.parse(item));
  return new Map(items.map(({ tag, uses }) => [normalizeName(tag), uses]));
}

/**
 * What counts one change: the first use of a tag brings its suffixes, the last one takes them along.
 *
 * @param uses how many the tag has had when read; the conditions hold only while that is so
 */
export function countingActions({ tag, by }: TagChange, uses: number | undefined): Action[] {
  const suffixes = tagSuffixKeys(tag);
  if (by === 1 && uses === undefined) {
    return [
      { put: { ...tagKey(tag), tag, uses: 1 }, condition: ABSENT },
      ...suffixes.map((key): Action => ({ put: { ...key } })),
    ];
  }
  if (by === 1) return [counted(tagKey(tag), 1, PRESENT)];
  if (uses !== undefined && uses > 1) return [counted(tagKey(tag), -1, 'uses > :one')];
  return [
    { remove: tagKey(tag), condition: 'uses = :one', values: { ':one': 1 } },
    ...suffixes.map((key): Action => ({ remove: key })),
  ];
}

function counted(key: Key, by: number, condition: string): Action {
  const values: Item = by === 1 ? { ':by': by } : { ':by': by, ':one': 1 };
  return { update: key, set: 'ADD uses :by', condition, values };
}

/** At least one is counted in each step, and a change has at most as many as two comments can have. */
const MAX_STEPS = 2 * MAX_TAGS;

/**
 * Counts what a comment's change left to be counted, some tags a transaction, each exactly once however many
 * try at the same time. Does nothing when it is finished already.
 *
 * @throws RetriesExhausted when others keep counting the same tags
 */
export async function finishTagChange(table: Table, commentId: number): Promise<void> {
  const key = tagChangeKey(commentId);
  await retry(table.retryTimeoutMs, async () => {
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const item = await readItem(table, key);
      if (item === undefined) return { done: true, value: undefined };
      try {
        await countSome(table, tagChangeItem.parse(item));
      } catch (error) {
        if (error instanceof ConditionFailed) break;
        throw error;
      }
    }
    return { done: false, reason: 'tags are being counted' };
  });
}

async function countSome(table: Table, { comment_id, changes }: TagChangeItem): Promise<void> {
  const uses = await readUses(
    table,
    changes.map(({ tag }) => tag),
  );
  const actions: Action[] = [];
  let counted = 0;
  for (const change of changes) {
    const more = countingActions(change, uses.get(normalizeName(change.tag)));
    if (actions.length + more.length >= MAX_TRANSACTION_ACTIONS) break;
    actions.push(...more);
    counted += 1;
  }
  const key = tagChangeKey(comment_id);
  const condition = 'changes = :read';
  const rest = changes.slice(counted);
  const progress: Action =
    rest.length === 0
      ? { remove: key, condition, values: { ':read': changes } }
      : { update: key, set: 'SET changes = :rest', condition, values: { ':read': changes, ':rest': rest } };
  await transactWrite(table, [progress, ...actions]);
}
