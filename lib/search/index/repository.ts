import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { mapConcurrent } from '../../base/collections.ts';
import { timestamp } from '../../base/time.ts';
import type { Table } from '../../table/client.ts';
import { ConditionFailed } from '../../table/errors.ts';
import { searchManifestKey, segmentKey } from '../../table/keys.ts';
import { readItem, readItems, withKey } from '../../table/read.ts';
import { ABSENT, deleteItem, putItem } from '../../table/write.ts';

/** What the manifest says of a segment. */
const segmentEntry = z.object({
  id: z.string(),
  rows: z.int(),
  /** as stored */
  bytes: z.int(),
  /** the latest change of its bugs, `YYYY-MM-DDThh:mm:ssZ` */
  changed: z.string(),
});
export type SegmentEntry = z.infer<typeof segmentEntry>;

/** The bugs whose ids are at least `from`, and less than that of the next range, by state. */
const rangeEntry = z.object({
  from: z.int(),
  open: z.optional(segmentEntry),
  closed: z.optional(segmentEntry),
});
export type RangeEntry = z.infer<typeof rangeEntry>;

/** Which segments the search index has. */
const manifest = z.object({
  /** raised each time that it is replaced */
  edition: z.int(),
  /** where reading the change log goes on: a sort key, or a time; '': all of it */
  since: z.string(),
  /** ordered by id, the first from 0 */
  ranges: z.array(rangeEntry),
  /** bugs that changed after the segments of their ranges were written */
  recent: z.array(segmentEntry),
});
export type Manifest = z.infer<typeof manifest>;

/** As stored: JSON, because it has up to thousands of segments. */
export const manifestItem = z.object({ edition: z.int(), content: z.string() });
export const segmentItem = z.object({
  data: z.instanceof(Uint8Array),
  /** `YYYY-MM-DDThh:mm:ssZ` */
  written: z.string(),
});

/** Of a table whose change log has never been read. */
export const EMPTY: Manifest = { edition: 0, since: '', ranges: [{ from: 0 }], recent: [] };

/** The segments of a manifest. */
export const entriesIn = ({ ranges, recent }: Pick<Manifest, 'ranges' | 'recent'>): SegmentEntry[] => [
  ...ranges.flatMap(({ open, closed }) => [open, closed].filter((entry) => entry !== undefined)),
  ...recent,
];

export type SearchIndexRepository = ReturnType<typeof searchIndexRepository>;

/** The manifest and the segments of the search index. */
export function searchIndexRepository(table: Table, now: () => Date) {
  const read = async (ids: readonly string[], isConsistent: boolean, onThrottled: () => void) => {
    const items = await readItems(table, ids.map(segmentKey), withKey(segmentItem), {
      isConsistent,
      onThrottled,
    });
    const found = new Map(items.map(({ pk, data }) => [pk, data]));
    return new Map(
      ids.flatMap((id) => {
        const data = found.get(segmentKey(id).pk);
        return data === undefined ? [] : [[id, data] as const];
      }),
    );
  };

  return {
    async readManifest(): Promise<Manifest> {
      const item = await readItem(table, searchManifestKey, manifestItem);
      return item === undefined ? EMPTY : manifest.parse(JSON.parse(item.content));
    },

    /** A manifest without segments, in the place of one that cannot be read. */
    async emptyManifest(): Promise<Manifest> {
      const item = await readItem(table, searchManifestKey, z.object({ edition: z.int() }));
      return { ...EMPTY, edition: item?.edition ?? 0 };
    },

    /** Replaces the manifest. @returns undefined: another writer has replaced it since it was read */
    async replaceManifest(read: Manifest, next: Omit<Manifest, 'edition'>): Promise<Manifest | undefined> {
      const replaced = { ...next, edition: read.edition + 1 };
      const item = { ...searchManifestKey, edition: replaced.edition, content: JSON.stringify(replaced) };
      const condition = read.edition === 0 ? `${ABSENT} OR edition = :read` : 'edition = :read';
      try {
        await putItem(table, item, { condition, values: { ':read': read.edition } });
        return replaced;
      } catch (error) {
        if (!(error instanceof ConditionFailed)) throw error;
        // An earlier attempt may have written it, and its response was lost.
        const found = await readItem(table, searchManifestKey, manifestItem);
        return found?.content === item.content ? replaced : undefined;
      }
    },

    /** The data of segments, by id; those that do not exist are left out. */
    async readSegments(
      ids: readonly string[],
      onThrottled: () => void = () => undefined,
    ): Promise<Map<string, Uint8Array>> {
      const found = await read(ids, false, onThrottled);
      const missing = ids.filter((id) => !found.has(id));
      if (missing.length === 0) return found;
      return new Map([...found, ...(await read(missing, true, onThrottled))]);
    },

    /** Writes a segment. @returns its id */
    async addSegment(data: Uint8Array): Promise<string> {
      const id = randomUUID();
      await putItem(table, { ...segmentKey(id), data, written: timestamp(now()) });
      return id;
    },

    /** Removes segments that no manifest has any more. */
    async removeSegments(ids: readonly string[]): Promise<void> {
      await mapConcurrent(ids, (id) => deleteItem(table, segmentKey(id)));
    },
  };
}
