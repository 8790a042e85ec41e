import { mapConcurrent } from '../base/map-concurrent.ts';
import { attachmentRepository } from '../bugs/attachments/repository.ts';
import type { AttachmentItem } from '../bugs/attachments/schema.ts';
import { commentRepository } from '../bugs/comments/repository.ts';
import type { CommentItem } from '../bugs/comments/schema.ts';
import type { BugItem } from '../bugs/schema.ts';
import { bugRepository } from '../bugs/store/repository.ts';
import type { BugIndex } from '../search/index/bug-index.ts';
import type { Table } from '../table/client.ts';
import { lastId } from '../table/counters.ts';
import { bugPartition } from '../table/keys.ts';
import { anyItem, readFirst } from '../table/read.ts';
import { bugProblems, type Entry } from './bug-problems.ts';
import type { Referred } from './desired-bug.ts';
import { attachmentProblems } from './plan-attachments.ts';
import { type CommentsPlan, type IdentifiedBug, isSameComment, planComments } from './plan-comments.ts';
import { aliasHolders, bugRecognition } from './recognize-bugs.ts';
import type { Problem } from './schema.ts';

/** A bug of a catalogue, compared with the table. */
export interface BugPlan extends IdentifiedBug {
  problems: Problem[];
  comments: CommentsPlan;
  /** that the bug has in the table */
  attachments: AttachmentItem[];
  /** whether another run has begun to write the bug, and was perhaps interrupted */
  isBegun: boolean;
}

/**
 * The highest ids that the table has allocated. Higher ones are not looked up; they are written on the condition that
 * they are absent.
 */
export interface LastIds {
  bug: number;
  comment: number;
  attachment: number;
}

export const ALL_IDS: LastIds = { bug: Infinity, comment: Infinity, attachment: Infinity };

/** The last ids that the table has given. */
export async function readLastIds(table: Table): Promise<LastIds> {
  const names = ['bug', 'comment', 'attachment'] as const;
  const [bug = 0, comment = 0, attachment = 0] = await Promise.all(names.map((name) => lastId(table, name)));
  return { bug, comment, attachment };
}

const idsUpTo = (last: number, entries: readonly { id?: number | undefined }[]): number[] =>
  entries.flatMap(({ id }) => (id === undefined || id > last ? [] : [id]));

/** Compares bugs of a catalogue with the table: what is there of each, and where they contradict each other. */
export function bugComparison(table: Table, index: BugIndex, referred: Referred) {
  const repository = bugRepository(table, table.now);
  const comments = commentRepository(table);
  const attachments = attachmentRepository(table, table.now);
  const recognize = bugRecognition(index, referred.productId);

  const storedComments = async (id: number): Promise<CommentItem[]> =>
    (await Array.fromAsync(comments.ofBug(id))).flat();

  /** The bugs without id that have the same product, summary, reporter, creation time and description. */
  async function sameBugs({ given }: Entry): Promise<number[]> {
    const [description] = given.comments;
    const same = await mapConcurrent(await recognize(given), async (id) => {
      const known = await comments.description(id);
      const isSame =
        known !== undefined &&
        description !== undefined &&
        isSameComment(known, description, referred.renames);
      return isSame ? [id] : [];
    });
    return same.flat();
  }

  /**
   * The bugs that the table has already, found by id; without one by the id that an earlier run assigned, else by
   * alias, else by content.
   */
  async function existingBugs(
    entries: readonly Entry[],
    holders: readonly (number | undefined)[][],
    last: number,
  ): Promise<(BugItem | undefined)[]> {
    const candidates = entries.map(({ given, assigned }, index) =>
      given.id === undefined ? [assigned?.bug, ...(holders[index] ?? [])] : [given.id],
    );
    const known = candidates.map((ids) => ids.filter((id) => id !== undefined).filter((id) => id <= last));
    const stored = await repository.byIds(known.flat());
    return mapConcurrent(entries, async (entry, index) => {
      const existing = known[index]?.map((id) => stored.get(id)).find((bug) => bug !== undefined);
      if (existing !== undefined || entry.given.id !== undefined) return existing;
      const [same] = await sameBugs(entry);
      return same === undefined ? undefined : repository.byId(same);
    });
  }

  /** Whether there is anything of a bug that does not exist. */
  const isBegun = async (id: number): Promise<boolean> =>
    (await readFirst(table, { pk: bugPartition(id) }, anyItem, 1)).length > 0;

  /** @param last the table has nothing of ids after these */
  return async (entries: readonly Entry[], last: LastIds): Promise<BugPlan[]> => {
    const given = entries.map((entry) => entry.given);
    const holders = last.bug === 0 ? given.map(() => []) : await aliasHolders(table, given);
    const stored = await existingBugs(entries, holders, last.bug);
    const found = entries.map((entry, index): IdentifiedBug => {
      const existing = stored[index];
      return { ...entry, id: entry.given.id ?? existing?.id ?? entry.assigned?.bug, existing };
    });
    const [commentHolders, attachmentHolders] = await Promise.all([
      comments.bugsOf(
        idsUpTo(
          last.comment,
          given.flatMap((bug) => bug.comments),
        ),
      ),
      attachments.byIds(
        idsUpTo(
          last.attachment,
          given.flatMap((bug) => bug.attachments ?? []),
        ),
      ),
    ]);
    return mapConcurrent(found, async (one, index) => {
      const { given, id = Infinity, existing, path } = one;
      const [ofBug, attached, begun] = await Promise.all([
        existing === undefined ? [] : storedComments(existing.id),
        existing === undefined || given.attachments === undefined ? [] : attachments.ofBug(existing.id),
        existing === undefined && id <= last.bug && id < Infinity ? isBegun(id) : false,
      ]);
      const planned = planComments(one, ofBug, commentHolders, referred);
      const problems = [
        ...bugProblems(one, planned, holders[index] ?? [], referred),
        ...(await attachmentProblems(given, one.id, path, attachmentHolders, attachments, referred.isExact)),
      ];
      return { ...one, comments: planned, attachments: attached, isBegun: begun, problems };
    });
  };
}
