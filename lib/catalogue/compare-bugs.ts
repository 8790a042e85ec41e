import { mapConcurrent } from '../base/collections.ts';
import { attachmentRepository } from '../bugs/attachments/repository.ts';
import type { AttachmentItem } from '../bugs/attachments/schema.ts';
import { commentRepository } from '../bugs/comments/repository.ts';
import { bugPointerItem } from '../bugs/schema.ts';
import { bugRepository } from '../bugs/store/repository.ts';
import type { Table } from '../table/client.ts';
import { lastId } from '../table/counters.ts';
import { aliasKey, bugPartition } from '../table/keys.ts';
import { anyItem, readFirst, readItems, withKey } from '../table/read.ts';
import { bugProblems, type Entry } from './bug-problems.ts';
import type { Referred } from './desired-bug.ts';
import { attachmentProblems } from './plan-attachments.ts';
import { type CommentsPlan, type FoundBug, planComments } from './plan-comments.ts';
import type { CatalogueBug, Problem } from './schema.ts';

/** A bug of a catalogue, compared with the table. */
export interface BugPlan extends FoundBug {
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
type LastIds = Awaited<ReturnType<typeof readLastIds>>;

export const ALL_IDS: LastIds = { bug: Infinity, comment: Infinity, attachment: Infinity };

/** The last ids that the table has given. */
export async function readLastIds(table: Table) {
  const names = ['bug', 'comment', 'attachment'] as const;
  const [bug = 0, comment = 0, attachment = 0] = await Promise.all(names.map((name) => lastId(table, name)));
  return { bug, comment, attachment };
}

const idsUpTo = (last: number, entries: readonly { id: number }[] = []): number[] =>
  entries.flatMap(({ id }) => (id > last ? [] : [id]));

/** The bugs that have the aliases of bugs of a catalogue, by the indices of both. */
async function aliasHolders(table: Table, bugs: readonly CatalogueBug[]): Promise<(number | undefined)[][]> {
  const keys = bugs.map(({ aliases = [] }) => aliases.map(aliasKey));
  const found = await readItems(table, keys.flat(), withKey(bugPointerItem));
  const ids = new Map(found.map(({ pk, bug_id }) => [pk, bug_id]));
  return keys.map((ofBug) => ofBug.map(({ pk }) => ids.get(pk)));
}

/** Compares bugs of a catalogue with the table: what is there of each, and where they contradict each other. */
export function bugComparison(table: Table, referred: Referred) {
  const repository = bugRepository(table, table.now);
  const comments = commentRepository(table);
  const attachments = attachmentRepository(table, table.now);

  /** @param last the table has nothing of ids after these */
  return async (entries: readonly Entry[], last: LastIds): Promise<BugPlan[]> => {
    const given = entries.map((entry) => entry.given);
    const holders = last.bug === 0 ? given.map(() => []) : await aliasHolders(table, given);
    const [stored, commentHolders, attachmentHolders] = await Promise.all([
      repository.byIds(idsUpTo(last.bug, given)),
      comments.bugsOf(given.flatMap((bug) => idsUpTo(last.comment, bug.comments))),
      attachments.byIds(given.flatMap((bug) => idsUpTo(last.attachment, bug.attachments))),
    ]);
    return mapConcurrent(entries, async ({ given, path }, index) => {
      const { id } = given;
      const existing = stored.get(id);
      const one = { given, path, existing };
      const isMissing = existing === undefined && id <= last.bug;
      const [ofBug, attached, left] = await Promise.all([
        existing === undefined ? [] : Array.fromAsync(comments.ofBug(id)),
        existing === undefined || given.attachments === undefined ? [] : attachments.ofBug(id),
        isMissing ? readFirst(table, { pk: bugPartition(id) }, anyItem, 1) : [],
      ]);
      const planned = planComments(one, ofBug.flat(), commentHolders);
      const problems = [
        ...bugProblems(one, planned, holders[index] ?? [], referred),
        ...(await attachmentProblems(given, id, path, attachmentHolders, attachments)),
      ];
      return { ...one, comments: planned, attachments: attached, isBegun: left.length > 0, problems };
    });
  };
}
