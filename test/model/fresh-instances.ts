import { beforeAll } from 'vitest';
import type { Item } from '../../lib/table/read.ts';
import type { Bugless } from '../support/bugless.ts';
import { restore } from '../support/restore-table.ts';
import { allItems } from '../support/table-items.ts';

/**
 * For each run of a property the same table, and an instance of its own: instances remember what they have read.
 *
 * @param open starts the first instance
 * @returns a function that restores the table and returns a new instance
 */
export function freshInstances(open: () => Promise<Bugless>): () => Promise<Bugless> {
  let first: Bugless;
  let before: Item[];
  beforeAll(async () => {
    first = await open();
    before = await allItems(first.table);
  });
  return async () => {
    await restore(first.table, before);
    return first.startAnother();
  };
}
