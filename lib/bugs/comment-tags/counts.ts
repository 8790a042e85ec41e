import { portions } from '../../base/collections.ts';
import { normalizeName } from '../../base/text.ts';
import type { Table } from '../../table/client.ts';
import { tagKey, tagSuffixKeys } from '../../table/keys.ts';
import { readItems } from '../../table/read.ts';
import {
  ABSENT,
  type Action,
  MAX_TRANSACTION_ACTIONS,
  PRESENT,
  transactWrite,
  tryTransactWrite,
} from '../../table/write.ts';
import { type TagChange, tagItem } from './schema.ts';

/** Use counts by normalized tag; tags that are not registered are left out. */
export type TagUses = ReadonlyMap<string, number>;

/** Reads the use counts of tags. */
export async function readUses(table: Table, tags: string[]): Promise<TagUses> {
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
export function countingActions(changes: TagChange[], uses: TagUses): Action[] {
  return changes.flatMap((change): Action[] => {
    const current = usesOf(uses, change);
    if (change.by === 1 && current === undefined) return registerActions(change.tag, 1);
    if (change.by === -1 && (current ?? 0) <= 1) return unregisterActions(change.tag, 1);
    return [countAction(change, change.by === 1 ? PRESENT : 'uses > :one')];
  });
}

/** The same with one action a tag, for tags that are registered: a use count may become 0. */
export const countOnlyActions = (changes: TagChange[]): Action[] =>
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
export async function registerTags(table: Table, changes: TagChange[], uses: TagUses): Promise<void> {
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
export async function unregisterUnused(table: Table, changes: TagChange[], uses: TagUses): Promise<void> {
  const last = changes.filter((change) => change.by === -1 && (usesOf(uses, change) ?? 0) <= 1);
  for (const { tag } of last) {
    // The change of the comment is committed: an error here must not be reported to the client.
    await transactWrite(table, unregisterActions(tag, 0)).catch(() => undefined);
  }
}
