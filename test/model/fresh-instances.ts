import { afterAll, beforeAll } from 'vitest';
import type { Item } from '../../lib/table/read.ts';
import type { Bugless } from '../support/bugless.ts';
import { restore } from '../support/restore-table.ts';
import { allItems } from '../support/table-items.ts';

/**
 * For each run of a property the same table, and an instance of its own: instances remember what they have read.
 *
 * @param open starts the first instance
 * @returns a function that restores the table and returns a new instance; the one before it stops
 */
export function freshInstances(open: () => Promise<Bugless>): () => Promise<Bugless> {
  let first: Bugless;
  let current: Bugless;
  let before: Item[];
  beforeAll(async () => {
    first = await open();
    current = first;
    before = await allItems(first.table);
  });
  afterAll(() => Promise.all([...new Set([first, current])].map(({ gateway }) => gateway.stop())));
  return async () => {
    if (current !== first) await current.gateway.stop();
    await restore(first.table, before);
    current = await first.startAnother();
    return current;
  };
}
