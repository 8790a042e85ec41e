import { createHash } from 'node:crypto';
import { type BugItem, bugItem, bugPointerItem } from '../bugs/schema.ts';
import type { Table } from '../dynamodb/client.ts';
import { allocateIds } from '../dynamodb/counters.ts';
import { aliasKey, bugKey, bugSourceKey, type Key } from '../dynamodb/keys.ts';
import { readItem } from '../dynamodb/read.ts';
import { putItem } from '../dynamodb/write.ts';
import { CatalogueError } from './errors.ts';
import type { CatalogueBug } from './schema.ts';

/**
 * Finds the existing bug of a catalogue entry: by id, by an alias, or by a hash of the entry.
 *
 * @throws CatalogueError when another bug has the id or an alias
 */
export async function findBug(table: Table, bug: CatalogueBug, path: string): Promise<BugItem | undefined> {
  const pointers = [
    ...(bug.aliases ?? []).map(aliasKey),
    ...(bug.id === undefined ? [bugSourceKey(sourceOf(bug)), claimOf(bug)] : []),
  ];
  const ids = new Set<number>(bug.id === undefined ? [] : [bug.id]);
  for (const key of pointers) {
    const id = await readPointer(table, key);
    if (id !== undefined) ids.add(id);
  }
  const [id, ...others] = ids;
  if (id === undefined) return undefined;
  if (others.length > 0) throw new CatalogueError(`${path}.aliases: bug ${others[0]} has one of them`);
  const existing = await readItem(table, bugKey(id), bugItem);
  if (existing !== undefined && existing.reporter !== bug.reporter) {
    throw new CatalogueError(`${path}: bug ${id} is another one, reported by '${existing.reporter}'`);
  }
  return existing;
}

/** The ids that existing bugs or an interrupted run have for the content of an entry. */
export async function idsOfSource(table: Table, bug: CatalogueBug): Promise<number[]> {
  const ids = await Promise.all(
    [claimOf(bug), bugSourceKey(sourceOf(bug))].map((key) => readPointer(table, key)),
  );
  return ids.filter((id) => id !== undefined);
}

const readPointer = async (table: Table, key: Key): Promise<number | undefined> =>
  (await readItem(table, key, bugPointerItem))?.bug_id;

/** The id for a new bug: that of the catalogue, of an interrupted run, or a new one. */
export async function idOf(table: Table, bug: CatalogueBug): Promise<number> {
  return bug.id ?? (await readPointer(table, claimOf(bug))) ?? allocateIds(table, 'bug');
}

/**
 * Stores the id of a new bug, so that a run after an interruption uses it too.
 *
 * @throws ConditionFailed when a concurrent run has stored another id
 */
export async function claimId(table: Table, bug: CatalogueBug, id: number): Promise<void> {
  if (bug.id !== undefined) return;
  const condition = { condition: 'attribute_not_exists(pk) OR bug_id = :id', values: { ':id': id } };
  await putItem(table, { ...claimOf(bug), bug_id: id }, condition);
}

/** A hash of an entry without id, which identifies it across runs; equal entries would be one bug. */
export const fingerprintOf = (bug: CatalogueBug): string => sourceOf(bug, bug.aliases);

const claimOf = (bug: CatalogueBug): Key => bugSourceKey(fingerprintOf(bug));

/** Identifies an entry without id across runs: a hash of its immutable fields, and the given aliases. */
function sourceOf(
  { product, component, summary, reporter, comments }: CatalogueBug,
  aliases: string[] = [],
): string {
  const [first] = comments;
  const identity = [product, component, summary, reporter, first?.creation_time, first?.text, ...aliases];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex');
}
