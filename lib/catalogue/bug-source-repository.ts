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
 * Finds the bug that a catalogue means: by id, by an alias, or by what the catalogue says of it.
 *
 * @throws CatalogueError when another bug has the id or an alias
 */
export async function findBug(table: Table, bug: CatalogueBug, path: string): Promise<BugItem | undefined> {
  const pointers = [
    ...bug.aliases.map(aliasKey),
    ...(bug.id === undefined ? [bugSourceKey(sourceOf(bug)), claimOf(bug)] : []),
  ];
  const ids = new Set<number>(bug.id === undefined ? [] : [bug.id]);
  for (const key of pointers) {
    const pointed = await pointedId(table, key);
    if (pointed !== undefined) ids.add(pointed);
  }
  const [id, ...others] = ids;
  if (id === undefined) return undefined;
  if (others.length > 0) throw new CatalogueError(`${path}.aliases: bug ${others[0]} has one of them`);
  const item = await readItem(table, bugKey(id));
  if (item === undefined) return undefined;
  const existing = bugItem.parse(item);
  if (existing.reporter !== bug.reporter) {
    throw new CatalogueError(`${path}: bug ${id} is another one, reported by '${existing.reporter}'`);
  }
  return existing;
}

async function pointedId(table: Table, key: Key): Promise<number | undefined> {
  const item = await readItem(table, key);
  return item === undefined ? undefined : bugPointerItem.parse(item).bug_id;
}

/** The id of a bug that is not there yet: the catalogue's, that of an interrupted run, or a new one. */
export async function idOf(table: Table, bug: CatalogueBug): Promise<number> {
  return bug.id ?? (await pointedId(table, claimOf(bug))) ?? allocateIds(table, 'bug');
}

/**
 * Keeps the id of a bug for the next run, should this one end before the bug is there.
 *
 * @throws ConditionFailed when another run has given the bug another id
 */
export async function claimId(table: Table, bug: CatalogueBug, id: number): Promise<void> {
  if (bug.id !== undefined) return;
  const only = { condition: 'attribute_not_exists(pk) OR bug_id = :id', values: { ':id': id } };
  await putItem(table, { ...claimOf(bug), bug_id: id }, only);
}

const claimOf = (bug: CatalogueBug): Key => bugSourceKey(sourceOf(bug, bug.aliases));

/** By what a bug without id is known again: what does not change of it, and the aliases that it had at first. */
function sourceOf(
  { product, component, summary, reporter, comments }: CatalogueBug,
  aliases: string[] = [],
): string {
  const [first] = comments;
  const unchanging = [product, component, summary, reporter, first?.creation_time, first?.text, ...aliases];
  return createHash('sha256').update(JSON.stringify(unchanging)).digest('hex');
}
