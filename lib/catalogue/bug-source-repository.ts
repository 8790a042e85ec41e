import { createHash } from 'node:crypto';
import { bugPointerItem } from '../bugs/schema.ts';
import type { Table } from '../dynamodb/client.ts';
import { aliasKey, bugSourceKey, type Key } from '../dynamodb/keys.ts';
import { readItems, withKey } from '../dynamodb/read.ts';
import type { Action } from '../dynamodb/write.ts';
import type { CatalogueBug } from './schema.ts';

/** The ids that the table has for a bug of a catalogue, of bugs that need not exist. */
export interface KnownIds {
  /** that of an interrupted run */
  claimed: number | undefined;
  /** of the same content, perhaps without the aliases */
  ofContent: number | undefined;
  /** of the holders of the aliases, by their index */
  ofAliases: (number | undefined)[];
}

/** Reads the ids that the table has for bugs: by their aliases, and the content of those without id. */
export async function readKnownIds(table: Table, bugs: readonly CatalogueBug[]): Promise<KnownIds[]> {
  const keys = bugs.map((bug) => ({
    claim: bug.id === undefined ? [claimOf(bug)] : [],
    content: bug.id === undefined ? [bugSourceKey(sourceOf(bug))] : [],
    aliases: (bug.aliases ?? []).map(aliasKey),
  }));
  const all = keys.flatMap(({ claim, content, aliases }) => [...claim, ...content, ...aliases]);
  const found = await readItems(table, all, withKey(bugPointerItem));
  const ids = new Map(found.map(({ pk, bug_id }) => [pk, bug_id]));
  const idAt = ({ pk }: Key) => ids.get(pk);
  return keys.map(({ claim, content, aliases }) => ({
    claimed: claim.map(idAt)[0],
    ofContent: content.map(idAt)[0],
    ofAliases: aliases.map(idAt),
  }));
}

/**
 * The transaction actions that store the id of a new bug, so that a run after an interruption uses it too; the condition
 * fails when a concurrent run has stored another id.
 */
export const claimActions = (bug: CatalogueBug, id: number): Action[] =>
  bug.id !== undefined
    ? []
    : [
        {
          put: { ...claimOf(bug), bug_id: id },
          condition: 'attribute_not_exists(pk) OR bug_id = :id',
          values: { ':id': id },
        },
      ];

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
