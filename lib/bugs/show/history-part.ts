import type { HistoryItem } from '../schema.ts';

/**
 * The first visible entries of a history, page by page, until there are enough: those of the second of the last one are added,
 * so that the next part begins before that second.
 *
 * @param limit undefined: all
 * @param visible the entries of a page that the caller sees
 */
export async function historyPart(
  pages: AsyncIterable<HistoryItem[]>,
  limit: number | undefined,
  visible: (page: HistoryItem[]) => Promise<HistoryItem[]>,
): Promise<HistoryItem[]> {
  const entries: HistoryItem[] = [];
  for await (const page of pages) {
    for (const entry of await visible(page)) {
      const last = entries.at(-1);
      if (limit !== undefined && entries.length >= limit && entry.when !== last?.when) return entries;
      entries.push(entry);
    }
  }
  return entries;
}
