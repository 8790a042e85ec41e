import { mapConcurrent } from '../../base/collections.ts';
import { timestamp } from '../../base/time.ts';
import { errors } from '../../errors.ts';
import type { Table } from '../../table/client.ts';
import { allocateIds } from '../../table/counters.ts';
import {
  attachmentKey,
  attachmentPartKey,
  attachmentPointerKey,
  attachmentRange,
  bugPartition,
} from '../../table/keys.ts';
import { readItem, readItems, readPages, readRange, withKey } from '../../table/read.ts';
import { ABSENT, type Action, differingAttributes, putItem, setAction } from '../../table/write.ts';
import { divide, join } from './data.ts';
import { type AttachmentItem, attachmentItem, attachmentPartItem, attachmentPointerItem } from './schema.ts';

/** An attachment and its bug. */
export interface AttachmentPointer {
  id: number;
  bug_id: number;
}

export type AttachmentRepository = ReturnType<typeof attachmentRepository>;

/** Parts that are written at the same time. */
const WRITTEN_AT_ONCE = 4;

/** Bytes of a part's item beside the data. */
const PART_OVERHEAD_BYTES = 100;
const unitsOf = (part: Uint8Array) => Math.ceil((part.length + PART_OVERHEAD_BYTES) / 1_024);

/** A part of the data; undefined: it is damaged, which is as if it were lost. */
const soundPart = { parse: (item: unknown) => attachmentPartItem.safeParse(item).data };

/** Attachments of bugs. Their data is stored apart, and read only on demand. */
export function attachmentRepository(table: Table, now: () => Date) {
  const { writeBudget } = table;

  /**
   * Writes the same data for attachments that do not exist yet, some parts at a time, at the pace. An attachment exists
   * when its item is written; until then the integrity check takes the parts for leftovers.
   */
  async function putParts(ids: readonly number[], parts: readonly Uint8Array[]): Promise<void> {
    const all = ids.flatMap((id) => parts.map((part, index) => ({ id, part, index })));
    await mapConcurrent(
      all,
      async ({ id, part, index }) => {
        await writeBudget.take(unitsOf(part));
        const item = { attachment_id: id, written_at: timestamp(now()), data: part };
        await putItem(table, { ...attachmentPartKey(id, index), ...item });
      },
      WRITTEN_AT_ONCE,
    );
  }

  return {
    /** The attachments of a bug, ordered by id. */
    ofBug: (bug: number): Promise<AttachmentItem[]> =>
      readRange(table, { pk: bugPartition(bug), ...attachmentRange }, attachmentItem, { isBounded: true }),

    /** The same page by page. */
    pagesOfBug: (bug: number): AsyncGenerator<AttachmentItem[]> =>
      readPages(table, { pk: bugPartition(bug), ...attachmentRange }, attachmentItem, { isBounded: true }),

    /** Attachments by id, in two sequential reads; unknown ones are left out. */
    async byIds(ids: readonly number[]): Promise<Map<number, AttachmentItem>> {
      return this.byPointers(await this.pointers(ids));
    },

    /** The ids of attachments with those of their bugs; unknown ones are left out. */
    async pointers(ids: readonly number[]): Promise<AttachmentPointer[]> {
      const byKey = new Map(ids.map((id) => [attachmentPointerKey(id).pk, id]));
      const keys = [...byKey.values()].map(attachmentPointerKey);
      const pointers = await readItems(table, keys, withKey(attachmentPointerItem));
      return pointers.flatMap(({ pk, bug_id }) => {
        const id = byKey.get(pk);
        return id === undefined ? [] : [{ id, bug_id }];
      });
    },

    /** Attachments by their pointers, by id. */
    async byPointers(pointers: readonly AttachmentPointer[]): Promise<Map<number, AttachmentItem>> {
      const keys = pointers.map(({ id, bug_id }) => attachmentKey(bug_id, id));
      const items = await readItems(table, keys, attachmentItem);
      return new Map(items.map((item) => [item.id, item]));
    },

    /** The data of an attachment. @throws BugzillaError attachmentDamaged where a part is lost or damaged */
    async data({ id, parts, size }: AttachmentItem): Promise<Buffer> {
      const items = await Promise.all(
        Array.from({ length: parts }, (_, part) => readItem(table, attachmentPartKey(id, part), soundPart)),
      );
      const found = items.flatMap((item) => item?.data ?? []);
      if (found.length < items.length) throw errors.attachmentDamaged(id);
      const data = await join(found).catch(() => undefined);
      if (data?.length !== size) throw errors.attachmentDamaged(id);
      return data;
    },

    /** Divides data into parts that `putParts` writes for some attachments, if a request may write so much. */
    async partsFor(attachments: number, data: Uint8Array): Promise<Uint8Array[]> {
      const parts = await divide(data);
      const units = attachments * parts.reduce((sum, part) => sum + unitsOf(part), 0);
      if (units > writeBudget.max) {
        throw errors.requestTooLarge(`${writeBudget.max} KB of compressed data, for all bugs together`);
      }
      writeBudget.requireTime(units);
      return parts;
    },

    putParts,

    /** Allocates ids for new attachments: consecutive, the first of them is returned. */
    allocateIds: (count: number): Promise<number> => allocateIds(table, 'attachment', count),
  };
}

/** The transaction actions that create an attachment with its pointer, or replace it if it has not changed since. */
export function putAttachmentActions(before: AttachmentItem | undefined, after: AttachmentItem): Action[] {
  const { id, bug_id } = after;
  const key = attachmentKey(bug_id, id);
  if (before === undefined) {
    return [
      { put: { ...key, ...after }, condition: ABSENT },
      { put: { ...attachmentPointerKey(id), bug_id }, condition: ABSENT },
    ];
  }
  const next = { ...after, revision: before.revision + 1 };
  const guard = { condition: 'revision = :read', values: { ':read': before.revision } };
  return [setAction(key, differingAttributes(before, next), guard)];
}
