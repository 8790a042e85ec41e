import * as z from 'zod';
import type { CatalogueBug, Problem } from '../../lib/catalogue/schema.ts';
import type { Table } from '../../lib/table/client.ts';
import { scanPages } from '../../lib/table/read.ts';

const flagged = z.object({
  sk: z.string(),
  id: z.int().optional(),
  bug_id: z.int().optional(),
  flags: z.array(z.object({ id: z.int() })).optional(),
});

/** The bug of each flag of the table, by the id of the flag. Scans the table. */
export async function flagHolders(table: Table): Promise<Map<number, number>> {
  const holders = new Map<number, number>();
  for await (const page of scanPages(table, { parse: (item) => flagged.safeParse(item).data })) {
    for (const item of page) {
      const isBug = item?.sk === 'BUG';
      if (item === undefined || !(isBug || item.sk.startsWith('ATTACHMENT#'))) continue;
      for (const { id } of item.flags ?? []) holders.set(id, (isBug ? item.id : item.bug_id) ?? 0);
    }
  }
  return holders;
}

/** The flags of a bug whose ids flags of other bugs have. */
export function takenFlags(
  { id, flags = [], attachments = [] }: CatalogueBug,
  holders: ReadonlyMap<number, number>,
): Problem[] {
  return [...flags, ...attachments.flatMap((one) => one.flags)].flatMap((flag) => {
    const holder = flag.id === undefined ? undefined : holders.get(flag.id);
    if (holder === undefined || holder === id) return [];
    return [{ path: ['flags'], message: `bug ${holder} has a flag ${flag.id}`, isCollision: true }];
  });
}
