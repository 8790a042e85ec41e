import { bugPointerItem } from '../bugs/schema.ts';
import type { BugIndex } from '../search/index/bug-index.ts';
import { bugsOf } from '../search/index/view.ts';
import type { Table } from '../table/client.ts';
import { aliasKey } from '../table/keys.ts';
import { readItems, withKey } from '../table/read.ts';
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

/** What identifies a bug without id and alias beside its description. */
const IDENTITY = ['product_id', 'summary', 'reporter', 'creation_time'];
const identityOf = (product: unknown, summary: unknown, reporter: unknown, time: unknown): string =>
  JSON.stringify([product, summary, reporter, time]);

/**
 * Finds bugs of a catalogue without id and alias that the table has: by product, summary, reporter and creation time.
 * The search index is read once.
 *
 * @param idOf the product with a name, if the table has it
 */
export function bugRecognition(index: BugIndex, idOf: (product: string) => number | undefined) {
  let known: Promise<Map<string, number[]>> | undefined;

  async function readIndex(): Promise<Map<string, number[]>> {
    const ids = new Map<string, number[]>();
    for (const { id, value } of bugsOf(await index.read(() => true))) {
      const [product, summary, reporter, time] = IDENTITY.map(value);
      const identity = identityOf(product, summary, reporter, time);
      ids.set(identity, [...(ids.get(identity) ?? []), id]);
    }
    return ids;
  }

  /** @returns the ids of bugs that may be the one; their descriptions are left to the caller */
  return async ({ product, summary, reporter, comments }: CatalogueBug): Promise<number[]> => {
    const id = idOf(product);
    if (id === undefined) return [];
    known ??= readIndex();
    return (await known).get(identityOf(id, summary, reporter, comments[0]?.creation_time ?? '')) ?? [];
  };
}
