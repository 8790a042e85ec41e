import { bugPointerItem } from '../bugs/schema.ts';
import { readIndexEntry } from '../bugs/store/index-entry.ts';
import { searchIndexItem } from '../bugs/store/search-index.ts';
import type { Table } from '../dynamodb/client.ts';
import { aliasKey, bugOfIndexKey, productBugsPartition } from '../dynamodb/keys.ts';
import { readItems, readPages, withKey } from '../dynamodb/read.ts';
import type { CatalogueBug } from './schema.ts';

/** The bugs that have the aliases of bugs of a catalogue, by the indices of both. */
export async function aliasHolders(
  table: Table,
  bugs: readonly CatalogueBug[],
): Promise<(number | undefined)[][]> {
  const keys = bugs.map(({ aliases = [] }) => aliases.map(aliasKey));
  const found = await readItems(table, keys.flat(), withKey(bugPointerItem));
  const ids = new Map(found.map(({ pk, bug_id }) => [pk, bug_id]));
  return keys.map((ofBug) => ofBug.map(({ pk }) => ids.get(pk)));
}

/** What identifies a bug without id and alias beside its product and description. */
const identityOf = (summary: string, reporter: string, time: string): string =>
  JSON.stringify([summary, reporter, time]);

/**
 * Finds bugs of a catalogue without id and alias that the table has: by product, summary, reporter and creation time.
 * The index entries of a product are read once.
 *
 * @param idOf the product with a name, if the table has it
 */
export function bugRecognition(table: Table, idOf: (product: string) => number | undefined) {
  const indexes = new Map<number, Promise<Map<string, number[]>>>();

  async function readIndex(product: number): Promise<Map<string, number[]>> {
    const ids = new Map<string, number[]>();
    for (const isOpen of [true, false]) {
      const range = { pk: productBugsPartition(product, isOpen) };
      for await (const page of readPages(table, range, withKey(searchIndexItem))) {
        for (const item of page) {
          const id = bugOfIndexKey(item);
          const bug = readIndexEntry(id, item)?.bug;
          if (bug === undefined) continue;
          const identity = identityOf(bug.summary, bug.reporter, bug.creation_time);
          ids.set(identity, [...(ids.get(identity) ?? []), id]);
        }
      }
    }
    return ids;
  }

  /** @returns the ids of bugs that may be the one; their descriptions are left to the caller */
  return async ({ product, summary, reporter, comments }: CatalogueBug): Promise<number[]> => {
    const id = idOf(product);
    if (id === undefined) return [];
    const index = indexes.get(id) ?? readIndex(id);
    indexes.set(id, index);
    return (await index).get(identityOf(summary, reporter, comments[0]?.creation_time ?? '')) ?? [];
  };
}
